"""Shipped tasks fail on the buggy source and pass on the solution; obvious half-fixes fail; bad tasks are told."""

from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from trajlog.harness.catalog import load_catalog
from trajlog.harness.grading import Grade, grade
from trajlog.harness.task import Task
from trajlog.harness.validate import validate

DEMO_TASKS = Path(__file__).parents[2] / "examples" / "demo_tasks"
TASKS = {**load_catalog(), **load_catalog(DEMO_TASKS)}
EVERY_TASK = pytest.mark.parametrize("task_id", sorted(TASKS))


@EVERY_TASK
def test_task_validates(task_id: str) -> None:
    check(task_id, runs=2)


@pytest.mark.slow
@EVERY_TASK
def test_task_validates_five_times(task_id: str) -> None:
    check(task_id, runs=5)


def check(task_id: str, runs: int) -> None:
    task = TASKS[task_id]
    validation = validate(task, runs=runs)
    assert validation.problems == ()
    assert validation.is_valid
    assert len(validation.buggy) == len(validation.solution) == runs
    for found in validation.buggy:
        assert not found.solved
        assert found.tests_failed + found.tests_passed == len(task.expected_ids)
        assert found.duration_s < task.timeout_s
    assert [found.tests_passed for found in validation.solution] == [len(task.expected_ids)] * runs


HALF_FIXES = {
    "tenant_settings": ("settings/layers.py", "base.copy()", "__import__('copy').deepcopy(base)"),
    "stage_hooks": (
        "pipeline/stage.py",
        "    @classmethod\n",
        "    def __init_subclass__(cls):\n        cls.hooks = {moment: [] for moment in MOMENTS}\n\n    @classmethod\n",
    ),
    "journal_offsets": ("journal/frame.py", "number, len(text)", "number, len(payload)"),
    "route_archive": ("routes/pack.py", "id(value)", "repr(value)"),
    "price_flight": (
        "prices/flight.py",
        "        call.value = work()\n        call.done.set()\n"
        "        with self._lock:\n            del self._calls[key]\n",
        "        try:\n            call.value = work()\n        finally:\n            call.done.set()\n"
        "            with self._lock:\n                del self._calls[key]\n",
    ),
    "async_pool": (
        "dbpool/pool.py",
        "        if self._line:\n            self._line.popleft().set_result(connection)\n",
        "        while self._line and self._line[0].done():\n            self._line.popleft()\n"
        "        if self._line:\n            self._line.popleft().set_result(connection)\n",
    ),
    "once_listeners": (
        "emitter.py",
        "in self._subscriptions.get(event, []):",
        "in list(self._subscriptions.get(event, [])):",
    ),
    "service_startup": (
        "boot/container.py",
        "        started = []\n",
        "        started = self._running\n",
    ),
}


@pytest.mark.parametrize("task_id", sorted(HALF_FIXES))
def test_obvious_half_fix_passes_visible_tests_but_not_the_hidden_ones(task_id: str) -> None:
    task = TASKS[task_id]
    path, old, new = HALF_FIXES[task_id]
    text = task.workspace[path].decode()
    assert old in text
    found = grade(task, {path: text.replace(old, new).encode()})
    assert not found.solved
    assert not found.missing_ids
    assert {failed.partition("::")[0] for failed in found.failed_ids} <= set(task.hidden_tests)


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


VISIBLE, OTHER, HIDDEN = TASKS["door"].expected_ids


def problems(buggy: list[tuple[str, ...]], solution: tuple[str, ...] = (), **changes: object) -> str:
    """Problems of the door task, changed by `changes`, if its runs fail the given tests."""
    task = msgspec.structs.replace(TASKS["door"], **changes)
    runs = iter(buggy)

    def runner(task: Task, files: Mapping[str, bytes]) -> Grade:
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
    task = TASKS["door"]

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
    found = problems([(VISIBLE,)], hidden_tests={**TASKS["door"].hidden_tests, "test_more.py": text})
    assert found.startswith("door: test_more.py::TestMore::test_a is not in expected_ids")
    assert "helper" not in found


def test_answers_in_the_workspace_are_a_problem() -> None:
    task = TASKS["door"]
    backup = b"# old version\n" + task.solution["door.py"]
    found = problems([(VISIBLE,)], workspace={**task.workspace, "door.py.orig": backup})
    assert found.startswith("door: workspace/door.py.orig holds the text of solution/door.py. Remove it")


def test_row_of_the_table() -> None:
    task = TASKS["door"]
    validation = validate(task, runs=2, runner=lambda task, files: graded(task, *(() if files else (VISIBLE,))))
    assert validation.row() == {
        "task": "door",
        "tests": 3,
        "buggy_failing": "1",
        "buggy_fails": "2/2",
        "buggy_s": 0.25,
        "solution_passes": "2/2",
        "solution_s": 0.25,
        "valid": "yes",
    }


def test_at_least_one_run_is_needed() -> None:
    with pytest.raises(ValueError, match="runs is 0"):
        validate(TASKS["door"], runs=0)
