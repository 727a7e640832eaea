"""One episode's tools: calls in, observations out, and the facts that its reward is made of.

>>> from trajlog.harness.sandbox import LocalSandbox  # doctest: +SKIP
>>> with LocalSandbox(task.workspace) as sandbox, ToolSession(task, sandbox) as session:  # doctest: +SKIP
...     session.call("read_file", {"path": "cache.py"}).content
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Self

import msgspec

from trajlog.harness.grading import Grade, changed_sources, grade, same_code
from trajlog.harness.guards import CallRecord, GuardConfig, tripped
from trajlog.harness.rewards import Ending, EpisodeFacts
from trajlog.harness.sandbox.base import Sandbox, SandboxFactory
from trajlog.harness.sandbox.local import LocalSandbox
from trajlog.harness.task import Task
from trajlog.harness.tools import BASIC_TOOLS, TOOLS, BadArguments, ToolContext, ToolResult, check_arguments, refused
from trajlog.harness.tools.debug import DEBUGGER_TOOLS
from trajlog.harness.workspace import PathRefused

_DEBUGGER_NAMES = frozenset(tool.name for tool in DEBUGGER_TOOLS)
_INSPECTIONS = frozenset({"bash", "read_file"})


class ToolSession:
    """The tools `tool_names` over one sandbox, which holds `task.workspace` and belongs to the caller.

    Every call, refused ones included, is kept in `calls`. One thread at a time; `sandbox.cancel()` from another
    ends a call in flight with SandboxError.
    """

    def __init__(
        self,
        task: Task,
        sandbox: Sandbox,
        *,
        tool_names: Sequence[str] = BASIC_TOOLS,
        guards: GuardConfig | None = None,
    ) -> None:
        self.task = task
        self.sandbox = sandbox
        self.calls: list[CallRecord] = []
        self.done = False
        """Whether `done` was called."""
        self._tools = {name: TOOLS[name] for name in tool_names}
        self._guards = guards or GuardConfig()
        self._context = ToolContext(task, sandbox)
        self._grade: Grade | None = None

    def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Run one tool call. What the agent got wrong is a result; only SandboxError is raised."""
        started = time.monotonic()
        before = self.sources()
        format_error = False
        if name not in self._tools:
            near = get_close_matches(name, self._tools, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            result = refused(f"there is no tool {name!r}.{hint} The tools are {', '.join(self._tools)}.")
            format_error = True
        else:
            try:
                checked = check_arguments(self._tools[name], arguments)
            except BadArguments as error:
                result = refused(str(error))
                format_error = True
            else:
                result = self._tools[name].handler(self._context, checked)
                self.done = self.done or name == "done"
        if name == "edit_file" and not result.is_error and self._debugger_state() != "exited":
            stale = f"{result.content}\nThe debugger still runs the old code; start it again."
            result = msgspec.structs.replace(result, content=stale)
        result = result.bounded(self.sandbox.limits.kept_output_bytes)
        result = msgspec.structs.replace(result, duration_s=time.monotonic() - started)
        self._record(name, arguments, result, format_error=format_error, before=before)
        return result

    def format_error(self, message: str) -> ToolResult:
        """The answer to a turn whose tool call could not be parsed; counted by the guards."""
        result = refused(message).bounded(self.sandbox.limits.kept_output_bytes)
        self._record("", message, result, format_error=True, before={})
        return result

    def guard(self) -> str | None:
        """The name of the guard that ends the episode now, or None."""
        return tripped(self.calls, self._guards)

    def sources(self) -> dict[str, bytes]:
        """The task's source files as they are in the sandbox; those deleted or not readable are left out."""
        found = {}
        for path in self.task.source_files:
            try:
                found[path] = self.sandbox.workspace.read(path)
            except PathRefused:
                continue
        return found

    def grade(self, make_sandbox: SandboxFactory = LocalSandbox) -> Grade:
        """The verdict on the files as they are now (see grading.py). Raises SandboxError."""
        self._grade = grade(self.task, self.sources(), make_sandbox=make_sandbox)
        return self._grade

    def facts(self, *, ending: Ending, num_turns: int, turn_limit: int) -> EpisodeFacts:
        """What the reward needs; grades first if `grade` was not called. Raises SandboxError."""
        verdict = self._grade or self.grade()
        changed = changed_sources(self.task, self.sources())
        return EpisodeFacts(
            ending=ending,
            solved=verdict.solved,
            tests_total=len(verdict.expected_ids),
            tests_passed=verdict.tests_passed,
            tests_passed_before=passed_before(self.task),
            num_turns=num_turns,
            turn_limit=turn_limit,
            changed_code=bool(changed),
            inspected_before_edit=inspected_before_edit(self.calls),
            localized=bool(set(changed) & set(self.task.solution)),
            debugger_fits=debugger_fits(self.task.debugger, self.calls),
        )

    def close(self) -> None:
        """End what the tools keep alive; the sandbox stays. Safe to call again."""
        if self._context.debugger is not None:
            self._context.debugger.close()
            self._context.debugger = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _debugger_state(self) -> str:
        return "exited" if self._context.debugger is None else self._context.debugger.state

    def _record(
        self, name: str, arguments: object, result: ToolResult, *, format_error: bool, before: dict[str, bytes]
    ) -> None:
        after = self.sources() if before and not format_error else before
        path = arguments.get("path") if isinstance(arguments, Mapping) else None
        text = json.dumps([name, arguments, result.content], sort_keys=True, default=str)
        self.calls.append(
            CallRecord(
                name=name,
                signature=hashlib.sha256(text.encode("utf-8", errors="replace")).hexdigest(),
                format_error=format_error,
                is_error=result.is_error,
                path=path if isinstance(path, str) else None,
                stopped=name in _DEBUGGER_NAMES and self._debugger_state() == "stopped",
                changed=any(not same_code(path, before.get(path, b""), after[path]) for path in after),
            )
        )


def inspected_before_edit(calls: Sequence[CallRecord]) -> bool:
    """Whether some call that looked at the program precedes one that changed its code (by any tool)."""
    inspected = False
    for call in calls:
        if call.changed and inspected:
            return True
        if call.stopped or (call.name in _INSPECTIONS and not call.format_error and not call.changed):
            inspected = True
    return False


def debugger_fits(label: str, calls: Sequence[CallRecord]) -> bool:
    """Whether the debugger was used as the task's label (recommended, optional, avoid) asks."""
    started = any(call.name == "start_debugger" and not call.format_error for call in calls)
    looked = any(call.stopped for call in calls)
    if label == "recommended":
        return looked
    if label == "avoid":
        return not started
    return looked or not started


_passed_before: dict[str, int] = {}


def passed_before(task: Task) -> int:
    """How many expected tests the task's untouched files pass; measured once per process and task content."""
    digest = hashlib.sha256(repr((task.workspace, task.hidden_tests, task.expected_ids)).encode()).hexdigest()
    if digest not in _passed_before:
        _passed_before[digest] = grade(task, {}).tests_passed
    return _passed_before[digest]
