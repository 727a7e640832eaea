import pytest
from supervise.cli import main
from supervise.config import ConfigError, parse

SITE = "site.ini"


def lines(capsys, *commands):
    assert main([SITE, *commands]) == 0
    return capsys.readouterr().out.splitlines()


def test_needs_are_started_first(capsys):
    assert lines(capsys, "start web", "stop db", "wait 1", "status") == [
        "db stopped -",
        "web stopped -",
        "mailer stopped -",
        "0 db 101 started",
        "0 web 102 started",
        "1 web 102 exited with -15",
        "1 db 101 exited with -15",
    ]


def test_crashed_unit_is_started_again(capsys):
    seen = lines(capsys, "start db", "end 101 3", "wait 1", "wait 1", "status", "wait 1", "ps")
    assert seen[:4] == ["db backoff -", "web stopped -", "mailer stopped -", "db 102"]
    assert seen[-2:] == ["1 db 101 exited with 3", "3 db 102 started"]


def test_unit_that_keeps_crashing(capsys):
    commands = ["start web", "end 102 1", "wait 1", "wait 1", "end 103 1", "wait 0", "wait 2", "end 104 1", "wait 0"]
    seen = lines(capsys, *commands)
    assert seen[-2:] == ["4 web 104 exited with 1", "4 web failed 3 times"]


def test_restart_keeps_one_process(capsys):
    seen = lines(capsys, "start db", "wait 5", "restart db", "wait 1", "status", "wait 9", "ps")
    assert seen[:4] == ["db running 102", "web stopped -", "mailer stopped -", "db 102"]


def test_bad_files():
    with pytest.raises(ConfigError, match="a needs b"):
        parse("[a]\ncommand = x\nneeds = b")
    assert main(["x", "fly"], read=lambda path: "[a]\ncommand = x") == 2
    assert parse("[a]\ncommand = x\ndelay = 2.5")["a"].delay == 2.5
