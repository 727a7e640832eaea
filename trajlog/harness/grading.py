"""The verdict on an episode, made in a new sandbox from the task's files and only the allowed changes.

The agent's sandbox is never trusted: its tests, configuration and stray files are left behind. Of its files only
`task.source_files` are taken; visible and held-back tests come from the task. Solved means that the report lists
every expected test id as passed and pytest came to its own end. So leaving early (`os._exit(0)`, `sys.exit(0)`),
printing "2 passed", skipping tests or dropping them does not pass. What is not caught here: source code that, while
it runs in the same process as pytest, rewrites pytest itself or returns objects equal to everything.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

import msgspec

from trajlog.harness.sandbox.base import SandboxFactory
from trajlog.harness.sandbox.local import LocalSandbox
from trajlog.harness.task import Task
from trajlog.harness.testing import run_pytest, summarize


class Grade(msgspec.Struct, frozen=True, kw_only=True):
    """`tests_passed + tests_failed == len(expected_ids)`: a test without a verdict, or skipped, has failed."""

    solved: bool
    tests_passed: int
    tests_failed: int
    expected_ids: tuple[str, ...]
    failed_ids: tuple[str, ...]
    """Expected ids that did not pass, in the task's order."""
    missing_ids: tuple[str, ...]
    """Expected ids that the report does not list at all."""
    detail: str
    """For people: counts and the failures' essential lines."""
    duration_s: float
    timed_out: bool


def grade(task: Task, agent_files: Mapping[str, bytes], *, make_sandbox: SandboxFactory = LocalSandbox) -> Grade:
    """Grade the agent's files. A source file that `agent_files` lacks keeps the task's text; other paths are ignored.

    Raises SandboxError: then there is no verdict.
    """
    changes = {path: agent_files[path] for path in task.source_files if path in agent_files}
    targets = sorted({node_id.partition("::")[0] for node_id in task.expected_ids})
    with make_sandbox(task.workspace | changes | task.hidden_tests) as sandbox:
        run = run_pytest(sandbox, targets, timeout_s=task.timeout_s)
        detail = summarize(run, sandbox.workspace.root)
    outcomes = run.report.outcomes
    failed = tuple(node_id for node_id in task.expected_ids if outcomes.get(node_id) != "passed")
    return Grade(
        solved=run.report.finished and not failed,
        tests_passed=len(task.expected_ids) - len(failed),
        tests_failed=len(failed),
        expected_ids=task.expected_ids,
        failed_ids=failed,
        missing_ids=tuple(node_id for node_id in task.expected_ids if node_id not in outcomes),
        detail=detail,
        duration_s=run.result.duration_s,
        timed_out=run.result.timed_out,
    )


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
