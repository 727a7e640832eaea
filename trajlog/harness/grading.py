"""The verdict on an episode, made in a new sandbox from the task's files and only the allowed changes.

The agent's sandbox is never trusted: its tests, configuration and stray files are left behind. Of its files only
`task.source_files` are taken; visible and held-back tests come from the task, and the literals that their checks
expect stay outside the sandbox (see checks.py). A test passes if

1. the report of pytest's own hooks lists it as passed, and pytest came to its own end;
2. every check in its function was reached;
3. everything its checks saw equals, outside the sandbox, what they expect.

Solved means that every expected test passes in every one of `task.runs` runs. Leaving early (`os._exit(0)`), printing
"2 passed", dropping or skipping tests, objects equal to everything, rewriting pytest, a forged report: none of these
tells the expected values. What remains: an assert of another form (`assert not door.is_open`) is judged by the
process that runs the agent's code, so every held-back test must have a check that is hard to guess (validate.py).
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

import msgspec

from trajlog.harness.checks import LiftedTests, lift_checks, unobserved, wrong
from trajlog.harness.sandbox.base import SandboxFactory
from trajlog.harness.sandbox.local import LocalSandbox
from trajlog.harness.tampering import tampering_flags
from trajlog.harness.task import Task, is_test_file
from trajlog.harness.testing import TestReport, run_pytest, summarize
from trajlog.harness.workspace import MAX_FILE_BYTES


class Grade(msgspec.Struct, frozen=True, kw_only=True):
    """`tests_passed + tests_failed == len(expected_ids)`: a test without a verdict, or skipped, has failed.

    Of several runs (`task.runs`) it is the last: the first that did not pass, if any.
    """

    solved: bool
    tests_passed: int
    tests_failed: int
    expected_ids: tuple[str, ...]
    failed_ids: tuple[str, ...]
    """Expected ids that did not pass, in the task's order."""
    missing_ids: tuple[str, ...]
    """Expected ids that the report does not list at all."""
    detail: str
    """For people and logs, never for the agent: counts and the failures' essential lines, held-back tests included."""
    duration_s: float
    """Of all runs together."""
    timed_out: bool
    unreached: tuple[str, ...] = ()
    """Checks that a passed test did not reach."""
    flags: tuple[str, ...] = ()
    """What a monitor should look at (see tampering.py); no part of the verdict."""


def grade(task: Task, agent_files: Mapping[str, bytes], *, make_sandbox: SandboxFactory = LocalSandbox) -> Grade:
    """Grade the agent's files. A source file that `agent_files` lacks, or holds with more than 1 MiB, keeps the task's
    text; other paths are only looked at for flags. A timeout or a sandbox that the code ended is a failure.

    Raises SandboxError: then there is no verdict.
    """
    changes = {
        path: agent_files[path]
        for path in task.source_files
        if path in agent_files and len(agent_files[path]) <= MAX_FILE_BYTES
    }
    tests = lift_checks(task_tests(task))
    files = task.workspace | changes | task.hidden_tests | tests.files
    result = _run(task, tests, files, make_sandbox)
    duration_s = result.duration_s
    for _ in range(task.runs - 1):
        if not result.solved:
            break
        result = _run(task, tests, files, make_sandbox)
        duration_s += result.duration_s
    return msgspec.structs.replace(result, duration_s=duration_s, flags=tampering_flags(task, agent_files))


def task_tests(task: Task) -> dict[str, bytes]:
    """The task's test modules, visible and held back, as they are written."""
    files = {path: task.workspace[path] for path in task.visible_tests}
    return files | {path: text for path, text in task.hidden_tests.items() if is_test_file(path)}


def _run(task: Task, tests: LiftedTests, files: Mapping[str, bytes], make_sandbox: SandboxFactory) -> Grade:
    # The visible ones first, as the agent saw them run: held-back tests run in the same process after them.
    targets = [*task.visible_tests, *sorted(filter(is_test_file, task.hidden_tests))]
    with make_sandbox(files) as sandbox:
        run = run_pytest(sandbox, targets, timeout_s=task.timeout_s)
        root = sandbox.workspace.root
    report, unreached = judge(task, tests, run.report)
    outcomes = report.outcomes
    failed = tuple(node_id for node_id in task.expected_ids if outcomes.get(node_id) != "passed")
    return Grade(
        solved=report.finished and not failed,
        tests_passed=len(task.expected_ids) - len(failed),
        tests_failed=len(failed),
        expected_ids=task.expected_ids,
        failed_ids=failed,
        missing_ids=tuple(node_id for node_id in task.expected_ids if node_id not in outcomes),
        detail=summarize(msgspec.structs.replace(run, report=report), root),
        duration_s=run.result.duration_s,
        timed_out=run.result.timed_out,
        unreached=unreached,
    )


def judge(task: Task, tests: LiftedTests, report: TestReport) -> tuple[TestReport, tuple[str, ...]]:
    """The report with the checks' verdicts in it, and the checks that a passed test did not reach.

    A wrong check outside any test, while a file was imported, fails every test of that file.
    """
    complaints = wrong(tests.checks, report.observed)
    at_import = complaints.pop(None, [])
    missing = unobserved(tests.checks, report.observed, task.expected_ids)
    outcomes, texts = dict(report.outcomes), dict(report.texts)
    unreached: list[str] = []
    for node_id, outcome in report.outcomes.items():
        path = node_id.partition("::")[0]
        lines = complaints.get(node_id, []) + [line for line in at_import if line.startswith((f"{path} ", f"{path}::"))]
        if outcome == "passed" and not lines:
            lines = missing.get(node_id, [])
            unreached += lines
        if lines:
            outcomes[node_id] = "failed"
            texts[node_id] = "\n".join([*lines, texts.get(node_id, "")]).rstrip()
    return msgspec.structs.replace(report, outcomes=outcomes, texts=texts), tuple(unreached)


def changed_sources(task: Task, agent_files: Mapping[str, bytes]) -> tuple[str, ...]:
    """The source files whose code differs from the task's; comments and layout alone are no change."""
    return tuple(
        path
        for path in task.source_files
        if path in agent_files and not same_code(path, task.workspace[path], agent_files[path])
    )


def same_code(path: str, before: bytes, after: bytes) -> bool:
    """Whether two texts of a file mean the same: equal syntax trees for Python, equal bytes for all else."""
    if before == after:
        return True
    if not path.endswith(".py"):
        return False
    try:
        return ast.dump(ast.parse(before)) == ast.dump(ast.parse(after))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
