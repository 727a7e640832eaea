"""tool_call: one call found in a generation, as it was sampled, whether it parses or not."""

from typing import ClassVar

from trajlog.schemas.base import Event, Index, Name, Topic


class ToolCall(Event, frozen=True, kw_only=True):
    kind: ClassVar[str] = "tool_call"
    topic: ClassVar[Topic] = "rollouts"

    turn: Index
    call_id: Name
    name: str | None
    """Tool's name, None when none could be read."""
    arguments: str
    """Arguments exactly as sampled, valid JSON or not. Where calls are not written in JSON: the arguments read from the
    call, as a JSON object, or the text as sampled when they could not be read."""
    parse_error: str | None = None
    """Why the call cannot be run, in words for the model; None when it was run."""
