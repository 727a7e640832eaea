import io

import pytest
from logmerge import BadLine, merge, parse
from logmerge.filters import at_least, contains
from logmerge.merge import render
from mergelogs import main

WEB = ["00:00:02 INFO listening", "00:00:09 ERROR broken pipe", "00:01:00 INFO bye"]
DB = ["00:00:01 INFO boot", "00:00:08 WARN slow query"]


def test_one_log():
    assert render(merge({"web": WEB}, at_least("ERROR"))) == "00:00:09 web ERROR broken pipe"


def test_lines_name_their_host():
    assert render(merge({"web": WEB, "db": DB})) == (
        "00:00:01 db  INFO  boot\n"
        "00:00:02 web INFO  listening\n"
        "00:00:08 db  WARN  slow query\n"
        "00:00:09 web ERROR broken pipe\n"
        "00:01:00 web INFO  bye"
    )


def test_filters():
    texts = [line.entry.message for line in merge({"web": WEB, "db": DB}, at_least("INFO"), contains("B"))]
    assert texts == ["boot", "broken pipe", "bye"]


def test_command_line(tmp_path):
    (tmp_path / "web.log").write_text("\n".join(WEB))
    (tmp_path / "db.log").write_text("\n".join(DB))
    out = io.StringIO()
    assert main([f"web={tmp_path}/web.log", f"db={tmp_path}/db.log", "--summary"], out) == 0
    assert out.getvalue().splitlines() == [
        "db: INFO=1 WARN=1, 7s, longest silence 7s",
        "web: INFO=2 ERROR=1, 58s, longest silence 51s",
    ]


def test_bad_lines():
    with pytest.raises(BadLine, match="unknown level 'LOUD'"):
        parse("00:00:01 LOUD hello")
    with pytest.raises(BadLine, match="too short"):
        list(merge({"web": ["hello"]}))
