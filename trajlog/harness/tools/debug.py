"""The debugger tools: one session at a time, which keeps its program, breakpoints and place between calls."""

from __future__ import annotations

from trajlog.harness.debugger.session import DebuggerSession, Reply
from trajlog.harness.task import is_test_file
from trajlog.harness.tools.base import Arguments, Parameter, Tool, ToolContext, ToolResult, refused
from trajlog.harness.workspace import PathRefused


def start_debugger(context: ToolContext, arguments: Arguments) -> ToolResult:
    path, test = arguments["path"], arguments.get("test")
    try:
        context.sandbox.workspace.read(path)
    except PathRefused as error:
        return refused(str(error))
    if context.debugger is not None:
        context.debugger.close()
    context.debugger = DebuggerSession(context.sandbox, path, is_test=is_test_file(path), test=test)
    return _result(context.debugger.open())


def add_breakpoint(context: ToolContext, arguments: Arguments) -> ToolResult:
    if context.debugger is None:
        return _none()
    place = arguments["file"], arguments["line"], arguments.get("condition")
    return _result(context.debugger.add_breakpoint(*place))


def continue_execution(context: ToolContext, arguments: Arguments) -> ToolResult:
    return _none() if context.debugger is None else _result(context.debugger.continue_execution())


def step_over(context: ToolContext, arguments: Arguments) -> ToolResult:
    return _none() if context.debugger is None else _result(context.debugger.step_over())


def examine_locals(context: ToolContext, arguments: Arguments) -> ToolResult:
    return _none() if context.debugger is None else _result(context.debugger.examine_locals())


def run_expression(context: ToolContext, arguments: Arguments) -> ToolResult:
    if context.debugger is None:
        return _none()
    return _result(context.debugger.run_expression(arguments["expression"]))


def stop_debugger(context: ToolContext, arguments: Arguments) -> ToolResult:
    if context.debugger is None:
        return _none()
    reply = context.debugger.stop()
    context.debugger = None
    return _result(reply)


def _result(reply: Reply) -> ToolResult:
    return ToolResult(content=reply.text, is_error=reply.is_error)


def _none() -> ToolResult:
    return refused("no program is being debugged; use start_debugger.")


DEBUGGER_TOOLS = (
    Tool(
        "start_debugger",
        "Load a script or test file into the debugger.",
        {"path": Parameter("string"), "test": Parameter("string", "test name", False)},
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
        add_breakpoint,
    ),
    Tool("continue_execution", "Run to the next breakpoint.", {}, continue_execution),
    Tool("step_over", "Run one line.", {}, step_over),
    Tool("examine_locals", "Show local variables.", {}, examine_locals),
    Tool("run_expression", "Evaluate an expression here.", {"expression": Parameter("string")}, run_expression),
    Tool("stop_debugger", "End the debugged program.", {}, stop_debugger),
)
