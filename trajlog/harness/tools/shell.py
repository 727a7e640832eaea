"""The tools `bash`, `run_tests` and `done`."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence

from trajlog.harness.testing import run_pytest, summarize
from trajlog.harness.tools.base import Arguments, Parameter, Tool, ToolContext, ToolResult, refused
from trajlog.harness.workspace import PathRefused

MAX_COMMAND_BYTES = 32 * 1024
MAX_TESTS_NAMED = 20


def run_bash(context: ToolContext, arguments: Arguments) -> ToolResult:
    command = arguments["command"]
    if "\0" in command or len(command.encode()) > MAX_COMMAND_BYTES:
        return refused(f"command must be text without NUL of at most {MAX_COMMAND_BYTES} bytes.")
    result = context.sandbox.run(["bash", "-c", command])
    status = result.status_line(context.sandbox.limits)
    if status is None and result.exit_code:
        status = f"exit code {result.exit_code}"
    parts = [result.output.rstrip("\n"), f"[{status}]" if status else ""]
    return ToolResult(
        content="\n".join(part for part in parts if part) or "(no output)",
        is_error=result.exit_code != 0,
        truncated_bytes=result.truncated_bytes,
        exit_code=result.exit_code,
        duration_s=result.duration_s,
    )


def run_tests(context: ToolContext, arguments: Arguments) -> ToolResult:
    """Verdicts come from pytest's hooks; `is_error` is set only if nothing could be run, not by a failing test."""
    test = arguments.get("test", "").strip()
    visible = [path for path in context.task.visible_tests if context.sandbox.workspace.exists(path)]
    targets, name = visible, None
    if re.fullmatch(r"\w+", test):
        name = test
    elif re.fullmatch(r"\w[\w./-]*\.py(::\w+(\[.*\])?)*", test):
        targets = [test]
    elif test:
        return refused(f"{test!r} is not a test. Give a function's name or file.py::name.")
    if not targets:
        return refused("the test files are gone from the workspace.")
    run = run_pytest(context.sandbox, targets, timeout_s=context.task.timeout_s, name=name)
    ran = bool(run.report.outcomes or run.report.uncollected or run.report.running)
    content = summarize(run, context.sandbox.workspace.root)
    if not ran and run.report.finished:
        content += f". The tests are {', '.join(_tests(context, visible))}."
    return ToolResult(
        content=content,
        is_error=not ran,
        exit_code=run.result.exit_code,
        duration_s=run.result.duration_s,
        tests_passed=run.report.count("passed"),
        tests_failed=run.report.count("failed") + len(run.report.uncollected),
    )


def _tests(context: ToolContext, paths: Sequence[str]) -> list[str]:
    """The first names of test functions in the files, as their text has them."""
    found: list[str] = []
    for path in paths:
        with contextlib.suppress(PathRefused):
            text = context.sandbox.workspace.read(path).decode("utf-8", errors="replace")
            found += re.findall(r"^\s*(?:async )?def (test\w*)", text, re.MULTILINE)
    return found[:MAX_TESTS_NAMED]


def finish(context: ToolContext, arguments: Arguments) -> ToolResult:
    return ToolResult(content="The episode is over; your changes are graded.")


BASH = Tool("bash", "Run a shell command.", {"command": Parameter("string")}, run_bash)
RUN_TESTS = Tool(
    "run_tests", "Run the tests, or one test.", {"test": Parameter("string", "test name", False)}, run_tests
)
DONE = Tool("done", "Finish when the bug is fixed.", {}, finish)
