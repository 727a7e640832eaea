import pytest
from cues.desk import Desk
from cues.running import active_at, busiest, running_order
from cues.sheet import CueError, Sheet

STORM = """preset house lights 3s
scene Storm at 1:00
    cue lights blue 5s
        with fog 10s
        follow thunder 2s
    cue lights out
"""


def test_running_order():
    assert running_order(Sheet(STORM)) == [
        "0:00 house lights (0:03)",
        "== Storm",
        "1:00 lights blue (0:05)",
        "1:00 fog (0:10)",
        "1:05 thunder (0:02)",
        "1:10 lights out",
        "1:10 end",
    ]


def test_remark_within_a_block():
    sheet = Sheet(STORM.replace("        follow", "# louder since Friday\n        follow"))
    assert [cue.start for cue in sheet.cues] == [0.0, 60.0, 60.0, 65.0, 70.0]


def test_questions():
    sheet = Sheet(STORM)
    assert (active_at(sheet, 66), busiest(sheet)) == (["fog", "thunder"], (2, "1:00"))


def test_desk_fires_in_time():
    fired = []
    desk = Desk(Sheet(STORM), fired.append)
    assert (desk.advance(61), desk.jump("Storm")) == (3, 1)
    assert fired == ["house lights", "lights blue", "fog", "thunder"]


def test_errors_have_line_numbers():
    with pytest.raises(CueError, match="line 5: unknown word 'folow'"):
        Sheet(STORM.replace("follow", "folow"))
