"""The command line as a whole: help for everything, and which commands there are, what a wrong line is answered."""

import inspect
import subprocess
import sys
import threading

import pytest
import typer
from typer.testing import CliRunner

from trajlog import cli
from trajlog.cli import app
from trajlog.errors import LogUnavailable


def commands(command, path=()):
    """(path, command) of every command and group."""
    yield path, command
    for name, sub in getattr(command, "commands", {}).items():
        yield from commands(sub, (*path, name))


ALL = dict(commands(typer.main.get_command(app)))


def test_the_commands_are_these():
    assert {" ".join(path) for path, command in ALL.items() if not hasattr(command, "commands")} == {
        "up",
        "demonstrations",
        "sql",
        "tail",
        "replay sft",
        "replay events",
        "replay batch",
        "replay verdicts",
        "archive verify",
        "archive compact",
        "archive repair",
        "models fetch",
        "sft train",
        "tasks list",
        "tasks validate",
        "demonstrate",
        "rewards recompute",
        "tasks show",
        "tasks stats",
        "tasks similar",
        "tasks split",
        "tasks new",
        "tasks import",
        "sandbox check",
        "sandbox build",
        "scheduler",
        "worker",
        "assembler",
        "archiver",
        "learner",
        "engine",
    }


def test_every_command_and_every_option_says_what_it_does():
    for path, command in ALL.items():
        assert (command.help or "").strip(), path
        assert command.help.strip().split("\n")[0].endswith("."), path
        for parameter in command.params:
            assert (parameter.help or "").strip(), (path, parameter.name)


def test_help_is_wrapped_to_the_terminal_and_loses_no_word(monkeypatch):
    monkeypatch.setattr("typer.rich_utils.MAX_WIDTH", 60)
    for path, command in ALL.items():
        assert "<" not in command.help + "".join(p.help for p in command.params), path  # would be taken for a tag
    lines = CliRunner().invoke(app, ["archive", "repair", "--help"]).output.split("Options")[0].splitlines()
    text = "\n".join(line.strip() for line in lines)
    said = inspect.cleandoc(ALL["archive", "repair"].help).replace("`", "")
    for given in said.split("\n\n"):
        (paragraph,) = (found for found in text.split("\n\n") if found.split()[:4] == given.split()[:4])
        assert paragraph.split() == given.split()
        assert all(len(line) > 40 for line in paragraph.splitlines()[:-1])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("nosuch", "No such command"),
        ("sql", "query"),
        ("sql --format xml q", "'xml' is not one of"),
        ("worker --log x --slots 0", "--slots"),
        ("tail --nosuch", "No such option"),
    ],
)
def test_a_wrong_command_line_is_said_in_words(line, said):
    done = subprocess.run([sys.executable, "-m", "trajlog", *line.split()], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_validating_what_changed_keeps_to_the_tasks_that_were_named(tmp_path):
    def tasks(*words):
        line = [sys.executable, "-m", "trajlog", "tasks", *words, "--tasks", str(tmp_path)]
        return subprocess.run(line, capture_output=True, text=True, timeout=60, check=True).stdout

    for name in ("one", "two"):
        tasks("new", name)
    assert tasks("validate", "one", "--runs", "1", "--record").endswith("1 task(s) valid, 1 of 2 recorded\n")
    assert tasks("validate", "one", "--runs", "1", "--changed") == "0 task(s) valid, 1 of 2 recorded\n"
    assert "two " in tasks("validate", "--runs", "1", "--changed")


def test_a_role_that_starts_before_its_brokers_waits_for_them(monkeypatch, capsys):
    answers = [LogUnavailable("no Kafka broker answers."), LogUnavailable("no Kafka broker answers."), "the log"]

    def open_log(url):
        answer = answers.pop(0)
        if isinstance(answer, LogUnavailable):
            raise answer
        return answer

    monkeypatch.setattr("trajlog.stream.open.open_log", open_log)
    assert cli._awaited("kafka://localhost", threading.Event()) == "the log"
    assert capsys.readouterr().err.count("no Kafka broker answers. Trying on for 60 s.") == 2
    monkeypatch.setattr(cli, "BROKER_WAIT_S", 0.0)
    answers.append(LogUnavailable("no Kafka broker answers."))
    with pytest.raises(LogUnavailable):
        cli._awaited("kafka://localhost", threading.Event())
