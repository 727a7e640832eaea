"""One episode's tools: calls in, observations out, what guards see of them, and the verdict at the end.

>>> from trajlog.harness.sandbox import LocalSandbox  # doctest: +SKIP
>>> with LocalSandbox(task.workspace) as sandbox, ToolSession(task, sandbox) as session:  # doctest: +SKIP
...     session.call("read_file", {"path": "cache.py"}).content
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Self

import msgspec

from trajlog.harness.grading import Grade, changed_sources, grade, same_code
from trajlog.harness.guards import CallRecord, GuardConfig, lines_read, signature, tripped
from trajlog.harness.sandbox.base import Sandbox, SandboxFactory
from trajlog.harness.sandbox.local import LocalSandbox
from trajlog.harness.task import Task
from trajlog.harness.tools import BASIC_TOOLS, TOOLS, BadArguments, ToolContext, ToolResult, check_arguments, refused
from trajlog.harness.tools.debug import DEBUGGER_TOOLS
from trajlog.harness.tools.files import MAX_LINES
from trajlog.harness.workspace import PathRefused

DEBUGGER_NAMES = frozenset(tool.name for tool in DEBUGGER_TOOLS)
_LEAVES_FILES = frozenset({"read_file", "done"})
"""Tools after which the source files need not be read again."""
_GRADED_FILES = 200
"""Files of the workspace that grading looks at for signs of tampering."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What an episode came to, apart from how it went."""

    grade: Grade
    tests_passed_before: int
    """Expected tests that the task's untouched files pass."""
    changed_code: bool
    """The source files differ from the task's by more than comments and layout."""
    localized: bool
    """One of the files that differ is one that the task's solution changes."""


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
        self._sources = {path: task.workspace[path] for path in task.source_files}

    @property
    def debugger_state(self) -> str:
        """State of the debugged program; `exited` without one."""
        return "exited" if self._context.debugger is None else self._context.debugger.state

    def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Run one tool call. What the agent got wrong is a result; only SandboxError is raised."""
        started = time.monotonic()
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
        if name == "edit_file" and not result.is_error and self.debugger_state != "exited":
            stale = f"{result.content}\nThe debugger still runs the old code; start it again."
            result = msgspec.structs.replace(result, content=stale)
        result = result.bounded(self.sandbox.limits.kept_output_bytes)
        result = msgspec.structs.replace(result, duration_s=time.monotonic() - started)
        self._record(name, arguments, result, format_error=format_error)
        return result

    def format_error(self, message: str) -> ToolResult:
        """The answer to a turn whose tool call could not be parsed; counted by the guards."""
        result = refused(message).bounded(self.sandbox.limits.kept_output_bytes)
        self._record("", {}, result, format_error=True)
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

    def judge(self, make_sandbox: SandboxFactory = LocalSandbox) -> Verdict:
        """The verdict on the files as they are now, in sandboxes of its own (see grading.py). Ends the debugger.

        Raises SandboxError.
        """
        self.close()
        sources = self.sources()
        changed = changed_sources(self.task, sources)
        return Verdict(
            grade=grade(self.task, self._others() | sources, make_sandbox=make_sandbox),
            tests_passed_before=passed_before(self.task, make_sandbox),
            changed_code=bool(changed),
            localized=bool(set(changed) & set(self.task.solution)),
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

    def _others(self) -> dict[str, bytes]:
        """Files beside the sources that are new or not the task's any more; a test that is gone is empty."""
        found = dict.fromkeys(self.task.visible_tests, b"")
        for path in self.sandbox.workspace.files(limit=_GRADED_FILES):
            try:
                content = self.sandbox.workspace.read(path)
            except PathRefused:
                continue
            found[path] = content
        return {path: content for path, content in found.items() if content != self.task.workspace.get(path)}

    def _record(self, name: str, arguments: Mapping[str, Any], result: ToolResult, *, format_error: bool) -> None:
        before = self._sources
        if not format_error and name not in _LEAVES_FILES:
            self._sources = self.sources()
        after = self._sources
        self.calls.append(
            CallRecord(
                name=name,
                signature=signature(name, arguments, result.content),
                format_error=format_error,
                is_error=result.is_error,
                lines=None if format_error else lines_read(name, arguments, MAX_LINES),
                changed=any(not same_code(path, before.get(path, b""), after[path]) for path in after),
                stopped=name in DEBUGGER_NAMES and self.debugger_state == "stopped",
            )
        )


_passed_before: dict[str, int] = {}
_measuring: dict[str, threading.Lock] = {}


def passed_before(task: Task, make_sandbox: SandboxFactory = LocalSandbox) -> int:
    """How many expected tests the task's untouched files pass; measured once per process and task content, whatever
    threads ask for it. Raises SandboxError."""
    digest = hashlib.sha256(repr((task.workspace, task.hidden_tests, task.expected_ids)).encode()).hexdigest()
    with _measuring.setdefault(digest, threading.Lock()):
        if digest not in _passed_before:
            _passed_before[digest] = grade(task, {}, make_sandbox=make_sandbox).tests_passed
    return _passed_before[digest]
