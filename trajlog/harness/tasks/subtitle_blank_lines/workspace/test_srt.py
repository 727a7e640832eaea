import pytest
from subs.cli import main
from subs.cues import Cue, shifted
from subs.srt import SubtitleError, dumps, loads
from subs.stretch import fitted, merged, stretched


def test_file_looks_right():
    assert dumps([Cue(0, 900, "Hello,\nMrs. Bird."), Cue(61_000, 3_662_004, "")]).split("\n") == [
        "1",
        "00:00:00,000 --> 00:00:00,900",
        "Hello,",
        "Mrs. Bird.",
        "",
        "2",
        "00:01:01,000 --> 01:01:02,004",
        "",
        "",
        "",
    ]


def test_plain_texts_come_back():
    text = dumps([Cue(0, 900, "Hello,\nMrs. Bird."), Cue(1000, 2000, "Where to?")]).rstrip("\n")
    assert [cue.lines for cue in loads(text)] == [["Hello,", "Mrs. Bird."], ["Where to?"]]


def test_two_speakers(tmp_path):
    path = tmp_path / "film.srt"
    path.write_text(dumps([Cue(500, 900, "Who is it?\n\nHere is my key."), Cue(1000, 2000, "Come in!")]))
    out = []
    assert main(["shift", "-600", str(path)], out) == 0
    assert out == ["1 cues shifted, 1 dropped"]
    assert shifted(loads(path.read_text()), 100)[0].text == "Come in!"


def test_bad_files():
    with pytest.raises(SubtitleError, match="bad number 'Hello'"):
        loads("Hello\n")
    with pytest.raises(SubtitleError, match="bad times"):
        loads("1\n00:00:02,000 --> 00:00:01,000\nx\n")


def test_fast_cues_are_reported(tmp_path):
    path = tmp_path / "film.srt"
    path.write_text(dumps([Cue(0, 1000, "x" * 30), Cue(900, 3000, "slow")]))
    out = []
    assert (main(["check", str(path)], out), out) == (1, ["cue 2 overlaps", "cue 1 is fast: 30.0/s"])


def test_other_versions():
    cues = [Cue(1000, 2000, "a"), Cue(2000, 2500, "a"), Cue(5000, 6000, "b")]
    assert [(cue.start, cue.end) for cue in stretched(cues, 25, 24)][2] == (5208, 6250)
    assert [cue.start for cue in fitted(cues, 0, 8000)] == [0, 2000, 8000]
    assert [(cue.end, cue.text) for cue in merged(cues)] == [(2500, "a"), (6000, "b")]
