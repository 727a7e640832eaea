"""The tools of an agent, by name. A new tool is a `Tool` in a module here and one entry in `TOOLS`."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from trajlog.errors import ConfigError
from trajlog.harness.tools.base import (
    BadArguments,
    Parameter,
    Tool,
    ToolContext,
    ToolResult,
    check_arguments,
    refused,
)
from trajlog.harness.tools.debug import DEBUGGER_TOOLS
from trajlog.harness.tools.files import EDIT_FILE, READ_FILE
from trajlog.harness.tools.shell import BASH, DONE, RUN_TESTS

TOOLS: dict[str, Tool] = {tool.name: tool for tool in (BASH, READ_FILE, EDIT_FILE, RUN_TESTS, *DEBUGGER_TOOLS, DONE)}
BASIC_TOOLS = ("bash", "read_file", "edit_file", "run_tests", "done")


def tool_schemas(names: Iterable[str]) -> list[dict[str, Any]]:
    """OpenAI function schemas of the named tools, in that order. Raises ConfigError for an unknown name."""
    chosen = []
    for name in names:
        if name not in TOOLS:
            near = get_close_matches(name, TOOLS, n=1)
            hint = f"Did you mean {near[0]}? " if near else ""
            raise ConfigError(f"there is no tool {name!r}. {hint}The tools are {', '.join(TOOLS)}.")
        chosen.append(TOOLS[name].schema())
    return chosen


__all__ = [
    "BASIC_TOOLS",
    "TOOLS",
    "BadArguments",
    "Parameter",
    "Tool",
    "ToolContext",
    "ToolResult",
    "check_arguments",
    "refused",
    "tool_schemas",
]
