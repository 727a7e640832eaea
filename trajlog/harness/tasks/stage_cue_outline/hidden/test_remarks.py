import pytest
from cues.desk import Desk
from cues.running import running_order
from cues.sheet import CueError, Sheet

SHEET = """
    # the whole evening

preset curtain "warm # 2" 2s   # slowly
scene Port
    cue ship horn 4s
  # moved up
        with gulls 20s
\t
            follow one gull 1.5s
      #
        follow waves 1m
# ---
   # after the break
    wait 2s

    cue lamp
scene Night at 2:00
\t# tab
\tcue stars 3s # twinkle

\t    follow moon 5s
"""


def test_remarks_and_empty_lines_mean_nothing():
    assert running_order(Sheet(SHEET)) == [
        '0:00 curtain "warm # 2" (0:02)', '== Port', '0:02 ship horn (0:04)', '0:02 gulls (0:20)',
        '0:06 waves (1:00)', '0:22 one gull (0:01.5)', '1:08 lamp', '== Night', '2:00 stars (0:03)',
        '2:03 moon (0:05)', '2:08 end',
    ]


def test_same_order_without_them():
    plain = "\n".join(line for line in SHEET.split("\n") if line.strip() and not line.strip().startswith("#"))
    assert running_order(Sheet(plain)) == running_order(Sheet(SHEET))
    assert [(cue.start, cue.scene) for cue in Sheet(SHEET).cues if cue.start > 20] == [
        (22.0, "Port"), (68.0, "Port"), (120.0, "Night"), (123.0, "Night"),
    ]


def test_line_numbers_count_them():
    messages = []
    for wrong in (SHEET.replace("follow waves 1m", "waves 1m"), SHEET.replace("2:00", "1:0"), "# x\n\n    # y\n  wait"):
        with pytest.raises(CueError) as caught:
            Sheet(wrong)
        messages.append(str(caught.value))
    assert messages == [
        "line 12: unknown word 'waves'", "line 18: bad time '1:0'",
        'line 4: wait needs a duration only',
    ]


def test_desk():
    fired = []
    desk = Desk(Sheet(SHEET), fired.append)
    counts = [desk.advance(1), desk.advance(3.5), desk.jump("Night"), desk.advance(3)]
    assert (counts, fired) == ([1, 2, 1, 1], ['curtain "warm # 2"', 'ship horn', 'gulls', 'stars', 'moon'])
