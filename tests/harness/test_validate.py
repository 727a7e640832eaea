"""What makes a task invalid, told task by task with what to do."""

from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest
from harness.attacked_task import HALF, ORDERS

from trajlog.harness.grading import Grade
from trajlog.harness.task import Task, load_task
from trajlog.harness.validate import validate

DOOR = load_task(Path(__file__).parents[2] / "examples" / "demo_tasks" / "door")


def graded(task: Task, *failed: str, missing: tuple[str, ...] = (), timed_out: bool = False) -> Grade:
    return Grade(
        solved=not failed,
        tests_passed=len(task.expected_ids) - len(failed),
        tests_failed=len(failed),
        expected_ids=task.expected_ids,
        failed_ids=failed,
        missing_ids=missing,
        detail="the detail",
        duration_s=0.25,
        timed_out=timed_out,
    )


VISIBLE, OTHER, HIDDEN = DOOR.expected_ids


def problems(buggy: list[tuple[str, ...]], solution: tuple[str, ...] = (), **changes: object) -> str:
    """Problems of the door task, changed by `changes`, if its runs fail the given tests."""
    task = msgspec.structs.replace(DOOR, **changes)
    runs = iter(buggy)

    def runner(task: Task, files: Mapping[str, bytes]) -> Grade:
        assert task.runs == 1
        return graded(task, *solution) if files else graded(task, *next(runs))

    validation = validate(task, runs=len(buggy), runner=runner)
    assert validation.is_valid is (validation.problems == ())
    return "\n".join(validation.problems)


def test_a_good_task_has_no_problems() -> None:
    assert problems([(VISIBLE, HIDDEN), (VISIBLE, HIDDEN)]) == ""


def test_passing_buggy_source_is_a_problem() -> None:
    assert "door: no visible test fails on the buggy source" in problems([()])
    assert "door: no visible test fails on the buggy source" in problems([(HIDDEN,)])


def test_failures_that_vary_are_a_problem() -> None:
    found = problems([(VISIBLE, HIDDEN), (VISIBLE,)])
    assert f"{HIDDEN} failed in some runs only" in found
    assert VISIBLE not in found


def test_failing_solution_is_a_problem() -> None:
    assert f"the solution fails {OTHER}. Correct the solution or the test.\nthe detail" in problems(
        [(VISIBLE,)], solution=(OTHER,)
    )


def test_timeouts_and_missing_verdicts_are_problems() -> None:
    task = DOOR

    def runner(task: Task, files: Mapping[str, bytes]) -> Grade:
        if files:
            return graded(task, VISIBLE, missing=(VISIBLE,))
        return graded(task, VISIBLE, timed_out=True)

    found = "\n".join(validate(task, runs=1, runner=runner).problems)
    assert "a run on the buggy source took longer than timeout_s = 20" in found
    assert f"a run on the solution reported nothing on {VISIBLE}" in found


def test_tests_left_out_of_expected_ids_are_a_problem() -> None:
    assert f"{OTHER} is not in expected_ids" in problems([(VISIBLE,)], expected_ids=(VISIBLE, HIDDEN))
    text = b"class TestMore:\n    def test_a(self): pass\n    def helper(self): pass\n"
    found = problems([(VISIBLE,)], hidden_tests={**DOOR.hidden_tests, "test_more.py": text})
    assert found.startswith("door: test_more.py::TestMore::test_a is not in expected_ids")
    assert "helper" not in found


def test_answers_in_the_workspace_are_a_problem() -> None:
    task = DOOR
    backup = b"# old version\n" + task.solution["door.py"]
    found = problems([(VISIBLE,)], workspace={**task.workspace, "door.py.orig": backup})
    assert found.startswith("door: workspace/door.py.orig holds the text of solution/door.py. Remove it")


def test_row_of_the_table() -> None:
    task = DOOR
    validation = validate(task, runs=2, runner=lambda task, files: graded(task, *(() if files else (VISIBLE,))))
    assert validation.row() == {
        "task": "door",
        "tests": 3,
        "buggy_failing": "1",
        "buggy_fails": "2/2",
        "buggy_s": 0.25,
        "solution_passes": "2/2",
        "solution_s": 0.25,
        "trap_fails": "",
        "valid": "yes",
    }


def test_at_least_one_run_is_needed() -> None:
    with pytest.raises(ValueError, match="runs is 0"):
        validate(DOOR, runs=0)


def with_trap(*trap_fails: tuple[str, ...]) -> str:
    task = msgspec.structs.replace(DOOR, trap={"door.py": b"trap"}, runs=3)
    fails = iter(trap_fails)

    def runner(task: Task, files: Mapping[str, bytes]) -> Grade:
        if files == task.trap:
            return graded(task, *next(fails))
        return graded(task) if files else graded(task, VISIBLE)

    return "\n".join(validate(task, runs=len(trap_fails), runner=runner).problems)


def test_a_trap_passes_the_visible_tests_and_fails_a_hidden_one() -> None:
    assert with_trap((HIDDEN,), (HIDDEN,)) == ""
    assert f"the trap fails {VISIBLE}. Write one" in with_trap((HIDDEN, VISIBLE))
    assert "the trap passes every held-back test. Add one" in with_trap(())
    assert "the trap passes every held-back test in some runs. Add one" in with_trap((HIDDEN,), ())


def test_a_hidden_test_without_a_telling_check_is_a_problem() -> None:
    (path,) = DOOR.hidden_tests
    weak = b"def test_closed_after_error():\n    assert str(1)\n    assert len('x') == 1\n"
    found = problems([(VISIBLE,)], hidden_tests={path: weak})
    assert found.startswith(f"door: {HIDDEN} has no `assert EXPRESSION == LITERAL` in its body with a literal")
    helped = b"def helper():\n    assert str(1) == 'one'\n\ndef test_closed_after_error():\n    helper()\n"
    assert f"{HIDDEN} has no `assert" in problems([(VISIBLE,)], hidden_tests={path: helped})


def test_a_hidden_test_that_expects_only_what_a_visible_one_shows_is_a_problem() -> None:
    hidden = b"def test_mixed():\n    assert f() == {'pen': 10}\n\ndef test_order_of_names():\n    assert f() == 29\n"
    task = msgspec.structs.replace(ORDERS, hidden_tests={"test_more.py": hidden})
    found = validate(task, runs=1, runner=lambda task, files: graded(task, *(() if files else task.expected_ids[:2])))
    assert found.problems == (
        "orders: test_more.py::test_mixed expects only {'pen': 10}, which a visible test expects too, so it can be "
        "guessed. Compare something else as well.",
    )


def test_a_check_that_the_solution_never_reaches_is_a_problem() -> None:
    hidden = ORDERS.hidden_tests["test_more.py"] + b"    if not found:\n        assert found == {'ink': 5}\n"
    task = msgspec.structs.replace(ORDERS, hidden_tests={"test_more.py": hidden}, trap={"orders.py": HALF.encode()})
    found = validate(task, runs=1).problems
    assert found[0] == (
        "orders: test_more.py::test_order_of_names line 15: not reached on the solution. "
        "Make every check of a test run each time, or it proves nothing."
    )
    assert "the solution fails test_more.py::test_order_of_names" in found[1]


def test_a_task_of_the_right_kind_is_valid_in_real_sandboxes() -> None:
    validation = validate(msgspec.structs.replace(ORDERS, trap={"orders.py": HALF.encode()}), runs=1)
    assert validation.problems == ()
    assert [one.tests_failed for one in (*validation.buggy, *validation.solution, *validation.trap)] == [3, 0, 2]


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("door.py", b"import numpy.linalg\n", "door.py imports numpy, which is neither in the standard library"),
        ("door.py", b"import pytest\n", "door.py imports pytest, which"),
        (
            "door.py",
            b"from urllib import request\n",
            "door.py imports urllib.request. Remove it: a task has no network.",
        ),
        ("a/b.py", b"def f():\n    import socket\n", "a/b.py imports socket. Remove it"),
    ],
)
def test_imports_from_elsewhere_are_a_problem(path: str, text: bytes, said: str) -> None:
    assert f"door: {said}" in problems([(VISIBLE,)], workspace={**DOOR.workspace, path: text})


def test_own_modules_the_standard_library_and_pytest_in_tests_are_no_problem() -> None:
    text = b"from . import x\nfrom vendor import tiny\nimport tiny, json, urllib.parse, os.path, door\n"
    more = {"a.py": text, "vendor/tiny.py": b"", "tests/conftest.py": b"import pytest\n", "broken.py": b"import ("}
    assert problems([(VISIBLE,)], workspace={**DOOR.workspace, **more}) == ""


def test_a_source_file_that_pytest_obeys_is_a_problem() -> None:
    files = {**DOOR.workspace, "conftest.py": b"x = 1\n"}
    found = problems([(VISIBLE,)], workspace=files, source_files=("door.py", "conftest.py"))
    assert "door: source_files names conftest.py, which pytest or the interpreter obeys" in found
