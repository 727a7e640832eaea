"""What a tool is: a name, an OpenAI function schema, a handler; and how arguments are checked.

Parameter types are plain (string, integer, boolean) and an optional one is left out, never null or a union: some
chat parsers type their values by this schema. Descriptions are short because a small model has to hold all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec

from trajlog.harness.debugger.session import DebuggerSession
from trajlog.harness.output import bounded_text
from trajlog.harness.sandbox.base import Sandbox
from trajlog.harness.task import Task

Arguments = dict[str, Any]
"""Checked arguments: declared names only, each of its declared type."""


class ToolResult(msgspec.Struct, frozen=True, kw_only=True):
    """The observation of one call. Errors the agent made are results too; a handler never raises for them."""

    content: str
    is_error: bool = False
    truncated_bytes: int = 0
    exit_code: int | None = None
    duration_s: float = 0.0
    tests_passed: int | None = None
    tests_failed: int | None = None

    def bounded(self, limit_bytes: int) -> ToolResult:
        content, cut = bounded_text(self.content, limit_bytes)
        return msgspec.structs.replace(self, content=content, truncated_bytes=self.truncated_bytes + cut)


def refused(message: str) -> ToolResult:
    return ToolResult(content=message, is_error=True)


class ToolContext:
    """What tools act on during one episode. The debugger, once started, lives on between calls."""

    def __init__(self, task: Task, sandbox: Sandbox) -> None:
        self.task = task
        self.sandbox = sandbox
        self.debugger: DebuggerSession | None = None


class Parameter(msgspec.Struct, frozen=True):
    type: Literal["string", "integer", "boolean"]
    description: str = ""
    required: bool = True


class Tool(msgspec.Struct, frozen=True):
    name: str
    description: str
    parameters: dict[str, Parameter]
    handler: Callable[[ToolContext, Arguments], ToolResult]

    def schema(self) -> dict[str, Any]:
        """The OpenAI form, `{"type": "function", "function": {...}}`."""
        properties = {
            name: {"type": parameter.type} | ({"description": parameter.description} if parameter.description else {})
            for name, parameter in self.parameters.items()
        }
        required = [name for name, parameter in self.parameters.items() if parameter.required]
        parameters = {"type": "object", "properties": properties, "required": required}
        function = {"name": self.name, "description": self.description, "parameters": parameters}
        return {"type": "function", "function": function}

    def usage(self) -> str:
        """`edit_file(path, old_str, new_str)`; optional parameters carry a question mark."""
        names = (name if parameter.required else f"{name}?" for name, parameter in self.parameters.items())
        return f"{self.name}({', '.join(names)})"


class BadArguments(Exception):
    """The arguments do not fit the tool's schema; the message is meant for the agent."""


def check_arguments(tool: Tool, given: Mapping[str, Any]) -> Arguments:
    """The arguments by their declared types. Raises BadArguments.

    A whole number written as text is taken as one, since some parsers hand all values over as text; null counts as
    left out.
    """
    if not isinstance(given, Mapping):
        raise BadArguments(f"arguments must be an object. Usage: {tool.usage()}")
    unknown = sorted(set(given) - set(tool.parameters))
    if unknown:
        raise BadArguments(f"unknown argument {', '.join(unknown)}. Usage: {tool.usage()}")
    checked = {name: _convert(tool, name, value) for name, value in given.items() if value is not None}
    missing = [name for name, parameter in tool.parameters.items() if parameter.required and name not in checked]
    if missing:
        raise BadArguments(f"missing argument {', '.join(missing)}. Usage: {tool.usage()}")
    return checked


def _convert(tool: Tool, name: str, value: Any) -> str | int | bool:
    wanted = tool.parameters[name].type
    if wanted == "string" and isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise BadArguments(f"{name} is not valid text (it has a lone surrogate).") from None
        return value
    if wanted == "boolean" and isinstance(value, bool):
        return value
    if wanted == "integer" and not isinstance(value, bool):
        if isinstance(value, int):
            return value
        if isinstance(value, float) and value.is_integer():
            return int(value)
        if isinstance(value, str) and re.fullmatch(r"\s*-?[0-9]{1,18}\s*", value):
            return int(value)
    shown = repr(value)
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    raise BadArguments(f"{name} must be a {wanted}, got {shown}. Usage: {tool.usage()}")
