"""Bugs kept in other layouts become tasks, and one that cannot be read spoils no other."""

import json
from pathlib import Path

import pytest

from trajlog.errors import TaskError
from trajlog.harness.authoring.before_after import read_before_after
from trajlog.harness.authoring.quixbugs import read_quixbugs
from trajlog.harness.authoring.skeleton import skeleton
from trajlog.harness.authoring.write import with_expected_ids, write_task
from trajlog.harness.task import Task
from trajlog.harness.validate import validate

LABELS = ("numeric", 2, "optional")


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def the_task(found: tuple[str, Task | TaskError]) -> Task:
    task = found[1]
    assert isinstance(task, Task), task
    return task


def test_the_first_task_of_an_author_is_valid() -> None:
    task = skeleton("pages", "iteration", 1, "optional")
    assert validate(task, runs=1).problems == ()


BUGGY = "def middle(a, b, c):\n    return sorted([a, b, c])[0]\n"
FIXED = BUGGY.replace("[0]", "[1]")


def test_a_program_before_and_after_a_fix_becomes_a_task(tmp_path: Path) -> None:
    test = "from middle import middle\n\n\ndef test_same():\n    assert middle(7, 7, 7) == 7\n"
    visible = test + "\n\ndef test_up():\n    assert middle(3, 4, 5) == 4\n"
    added = test.replace("test_same", "test_down").replace("(7, 7, 7) == 7", "(19, 11, 12) == 12")
    write(
        tmp_path,
        {
            "middle_value/before/middle.py": BUGGY,
            "middle_value/before/test_middle.py": visible,
            "middle_value/after/middle.py": FIXED,
            "middle_value/after/test_more.py": added,
            "middle_value/statement.md": "# The middle is the least\n\n`middle` gives the least of three.\n",
            "no_fix/before/middle.py": BUGGY,
            "no_fix/before/test_middle.py": visible,
            "no_fix/after/middle.py": BUGGY,
            "nothing/readme.txt": "no task",
        },
    )
    good, bad = read_before_after(tmp_path, *LABELS)
    task = write_task(tmp_path / "tasks", with_expected_ids(the_task(good)))
    assert (task.task_id, task.title) == ("middle_value", "The middle is the least")
    assert set(task.expected_ids) == {
        "test_middle.py::test_same",
        "test_middle.py::test_up",
        "test_more.py::test_down",
    }
    assert validate(task, runs=1).problems == ()
    assert bad[0] == "no_fix"
    assert isinstance(bad[1], TaskError)
    assert "no source differs between before/ and after/" in str(bad[1])
    with pytest.raises(TaskError, match="holds no folder with `before` and `after`"):
        list(read_before_after(tmp_path / "nothing", *LABELS))


def test_a_checkout_of_quixbugs_becomes_tasks(tmp_path: Path) -> None:
    endless = (
        "def halve(n):\n    while n > 1:\n        pass\n    return n\n\n\n'''\nHalves n until it is 1 or less.\n'''\n"
    )
    cases = [[[a, b, c], sorted([a, b, c])[1]] for a, b, c in ((3, 9, 4), (5, 5, 5), (8, 6, 7), (12, 10, 11))]
    write(
        tmp_path,
        {
            "python_programs/middle.py": BUGGY,
            "correct_python_programs/middle.py": FIXED,
            "json_testcases/middle.json": "\n".join(map(json.dumps, cases)),
            "python_programs/halve.py": endless,
            "correct_python_programs/halve.py": endless.replace("pass", "n /= 2"),
            "json_testcases/halve.json": "[[40], 0.625]\n[12, 0.75]\n[[1], 1]\n",
            "python_programs/broken.py": BUGGY,
            "correct_python_programs/broken.py": FIXED,
            "json_testcases/broken.json": "{]",
            "python_programs/node.py": "class Node: pass\n",
        },
    )
    broken, halve, middle = read_quixbugs(tmp_path, *LABELS)
    assert isinstance(broken[1], TaskError)
    assert "broken.json cannot be read" in str(broken[1])
    for found, told in ((halve, "Halves n until it is 1 or less."), (middle, "Some calls of `middle`")):
        task = write_task(tmp_path / "tasks", with_expected_ids(the_task(found)))
        assert told in task.statement
        assert validate(task, runs=1).problems == ()
    with pytest.raises(TaskError, match="it is no checkout of QuixBugs"):
        list(read_quixbugs(tmp_path / "tasks", *LABELS))
