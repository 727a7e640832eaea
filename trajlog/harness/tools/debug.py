"""The debugger tools: one program at a time, which keeps its place between calls; breakpoints outlive it."""

from __future__ import annotations

from collections.abc import Callable

from trajlog.harness.debugger.session import DebuggerSession, Reply
from trajlog.harness.task import is_test_file
from trajlog.harness.tools.base import Arguments, Parameter, Tool, ToolContext, ToolResult, refused
from trajlog.harness.workspace import PathRefused

_THREAD = {"thread": Parameter("string", required=False)}
_PLACE = {**_THREAD, "frame": Parameter("integer", "number of where_am_i", False)}


def start_debugger(context: ToolContext, arguments: Arguments) -> ToolResult:
    path, test = arguments["path"], arguments.get("test")
    try:
        context.sandbox.workspace.read(path)
    except PathRefused as error:
        return refused(str(error))
    is_test = is_test_file(path)
    if test and not is_test:
        return refused(f"{path} is not a test file; leave test out, or name a test file.")
    if context.debugger is None:
        context.debugger = DebuggerSession(context.sandbox)
    started = context.debugger.start(path, is_test=is_test, test=test, args=arguments.get("args", ""))
    return _result(started)


def _on_session(
    command: Callable[[DebuggerSession, Arguments], Reply],
) -> Callable[[ToolContext, Arguments], ToolResult]:
    """A handler that does `command` on the episode's debugger, once there is one."""

    def handler(context: ToolContext, arguments: Arguments) -> ToolResult:
        if context.debugger is None:
            return refused("no program is being debugged; use start_debugger.")
        return _result(command(context.debugger, arguments))

    return handler


def _result(reply: Reply) -> ToolResult:
    return ToolResult(content=reply.text, is_error=reply.is_error)


DEBUGGER_TOOLS = (
    Tool(
        "start_debugger",
        "Load a script or test file into the debugger.",
        {
            "path": Parameter("string"),
            "test": Parameter("string", "test name", False),
            "args": Parameter("string", "script arguments", False),
        },
        start_debugger,
    ),
    Tool(
        "add_breakpoint",
        "Stop at a line.",
        {
            "file": Parameter("string"),
            "line": Parameter("integer"),
            "condition": Parameter("string", "expression", False),
        },
        _on_session(
            lambda session, given: session.add_breakpoint(given["file"], given["line"], given.get("condition"))
        ),
    ),
    Tool(
        "remove_breakpoint",
        "Remove a breakpoint.",
        {"number": Parameter("integer")},
        _on_session(lambda session, given: session.remove_breakpoint(given["number"])),
    ),
    Tool("list_breakpoints", "List breakpoints.", {}, _on_session(lambda session, given: session.list_breakpoints())),
    Tool(
        "continue_execution",
        "Run to the next stop.",
        {},
        _on_session(lambda session, given: session.continue_execution()),
    ),
    Tool("step_over", "Run one line.", _THREAD, _on_session(lambda session, given: session.step("over", **given))),
    Tool("step_into", "Step into a call.", _THREAD, _on_session(lambda session, given: session.step("into", **given))),
    Tool("step_out", "Run to the caller.", _THREAD, _on_session(lambda session, given: session.step("out", **given))),
    Tool("where_am_i", "Show the stack.", _THREAD, _on_session(lambda session, given: session.where(**given))),
    Tool(
        "examine_locals",
        "Show local variables.",
        _PLACE,
        _on_session(lambda session, given: session.examine_locals(**given)),
    ),
    Tool(
        "print_variable",
        "Show one variable at length.",
        {"name": Parameter("string", "name or path like a.b[0]"), **_PLACE},
        _on_session(lambda session, given: session.print_variable(**given)),
    ),
    Tool(
        "run_expression",
        "Evaluate an expression here.",
        {"expression": Parameter("string"), **_PLACE},
        _on_session(lambda session, given: session.run_expression(**given)),
    ),
    Tool("list_threads", "Show threads and locks.", {}, _on_session(lambda session, given: session.list_threads())),
    Tool(
        "interrupt",
        "Stop a running program where it is.",
        _THREAD,
        _on_session(lambda session, given: session.interrupt(**given)),
    ),
    Tool("stop_debugger", "End the debugged program.", {}, _on_session(lambda session, given: session.stop())),
)
