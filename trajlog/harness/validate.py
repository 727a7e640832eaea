"""Proof that a task is one: its tests fail on the buggy source and pass on the solution, every time.

Both are graded as an episode is (`grading.grade`, a new sandbox per run), so what validates here is what an
agent will be judged by.
"""

import ast
from collections.abc import Callable, Mapping

import msgspec

from trajlog.harness.grading import Grade, grade
from trajlog.harness.task import Task, is_test_file

Runner = Callable[[Task, Mapping[str, bytes]], Grade]
"""Grades changed source files of a task, as `grading.grade` does."""


class Validation(msgspec.Struct, frozen=True, kw_only=True):
    """The grades of `runs` runs on the buggy source and on the solution, and what is wrong (nothing: valid)."""

    task_id: str
    buggy: tuple[Grade, ...]
    solution: tuple[Grade, ...]
    problems: tuple[str, ...]
    """Each names the task, what is wrong and what to do."""

    @property
    def is_valid(self) -> bool:
        return not self.problems

    def row(self) -> dict[str, str | int | float]:
        """One row for a table; the keys are its column heads, in order. Times are the slowest run's, in seconds."""
        runs = len(self.buggy)
        return {
            "task": self.task_id,
            "tests": len(self.buggy[0].expected_ids),
            "buggy_failing": "/".join(sorted({str(one.tests_failed) for one in self.buggy})),
            "buggy_fails": f"{sum(not one.solved for one in self.buggy)}/{runs}",
            "buggy_s": round(max(one.duration_s for one in self.buggy), 2),
            "solution_passes": f"{sum(one.solved for one in self.solution)}/{runs}",
            "solution_s": round(max(one.duration_s for one in self.solution), 2),
            "valid": "yes" if self.is_valid else "no",
        }


def validate(task: Task, runs: int = 5, runner: Runner = grade) -> Validation:
    """Grade the buggy source and the solution `runs` times each (at least once).

    Valid means: on the buggy source some visible test fails, the same tests each time; on the solution all
    tests pass; every run lists every expected id within `task.timeout_s`; no test is left out of
    `expected_ids`; the workspace holds neither a corrected file nor a held-back test. Raises SandboxError.
    """
    if runs < 1:
        raise ValueError(f"runs is {runs}; at least one is needed")
    buggy = tuple(runner(task, {}) for _ in range(runs))
    solution = tuple(runner(task, task.solution) for _ in range(runs))
    problems = (
        *_leaks(task),
        *_unlisted_tests(task),
        *_incomplete_runs("buggy source", buggy, task.timeout_s),
        *_incomplete_runs("solution", solution, task.timeout_s),
        *_buggy_problems(task, buggy),
        *_solution_problems(solution),
    )
    return Validation(
        task_id=task.task_id,
        buggy=buggy,
        solution=solution,
        problems=tuple(f"{task.task_id}: {problem}" for problem in dict.fromkeys(problems)),
    )


def _leaks(task: Task) -> list[str]:
    held_back = {"solution": task.solution, "hidden": task.hidden_tests}
    return [
        f"workspace/{path} holds the text of {folder}/{name}. Remove it: the agent could read the answer."
        for folder, files in held_back.items()
        for name, text in files.items()
        for path, content in task.workspace.items()
        if text.strip() and text.strip() in content
    ]


def _unlisted_tests(task: Task) -> list[str]:
    listed = {node_id.partition("[")[0] for node_id in task.expected_ids}
    files = {path: text for path, text in task.workspace.items() if path in task.visible_tests}
    files |= {path: text for path, text in task.hidden_tests.items() if is_test_file(path)}
    written = [node_id for path, text in files.items() for node_id in _test_ids(path, text)]
    return [
        f"{node_id} is not in expected_ids, so nothing depends on it. Add it to task.toml or remove the test."
        for node_id in written
        if node_id not in listed
    ]


def _test_ids(path: str, text: bytes) -> list[str]:
    try:
        module = ast.parse(text, path)
    except (SyntaxError, ValueError):
        return []  # grading shows every test of the file as missing
    owners: list[tuple[str, ast.Module | ast.ClassDef]] = [(path, module)]
    owners += [
        (f"{path}::{node.name}", node)
        for node in module.body
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test")
    ]
    return [
        f"{prefix}::{node.name}"
        for prefix, owner in owners
        for node in owner.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test")
    ]


def _incomplete_runs(what: str, grades: tuple[Grade, ...], timeout_s: float) -> list[str]:
    problems = []
    for one in grades:
        if one.timed_out:
            problems.append(
                f"a run on the {what} took longer than timeout_s = {timeout_s:g}. "
                "Bound the waits in the tests or raise timeout_s."
            )
        elif one.missing_ids:
            problems.append(
                f"a run on the {what} reported nothing on {', '.join(one.missing_ids)}. "
                f"Correct expected_ids or the test file.\n{one.detail}"
            )
    return problems


def _buggy_problems(task: Task, grades: tuple[Grade, ...]) -> list[str]:
    problems = []
    if any(not any(i.partition("::")[0] in task.visible_tests for i in one.failed_ids) for one in grades):
        problems.append("no visible test fails on the buggy source. Add one that shows the bug.")
    if len({one.failed_ids for one in grades}) > 1:
        varying = (
            set[str]()
            .union(*(one.failed_ids for one in grades))
            .difference(set(grades[0].failed_ids).intersection(*(one.failed_ids for one in grades)))
        )
        problems.append(
            f"on the buggy source {', '.join(sorted(varying))} failed in some runs only. "
            "Make the failing order of events certain with events or barriers."
        )
    return problems


def _solution_problems(grades: tuple[Grade, ...]) -> list[str]:
    return [
        f"the solution fails {', '.join(one.failed_ids) or 'to end the test run'}. "
        f"Correct the solution or the test.\n{one.detail}"
        for one in grades
        if not one.solved
    ]
