"""Tool calls out of sampled text, in the Hermes form: <tool_call>{"name": ..., "arguments": {...}}</tool_call>.

Pure. A call that cannot be run is a call all the same: it keeps its text as sampled and says why, in words for the
model, so that the agent can answer with a format error and the log can hold what really happened.
"""

import re
from typing import Any

import msgspec

_CALL = re.compile(r"<tool_call>(.*?)(</tool_call>|\Z)", re.DOTALL)
_FORM = '<tool_call>{"name": "NAME", "arguments": {"KEY": "VALUE"}}</tool_call>'


class ParsedCall(msgspec.Struct, frozen=True):
    """One call. `arguments_text` is what was sampled; `arguments` is None when `error` says why it cannot be run."""

    name: str | None
    arguments_text: str
    arguments: dict[str, Any] | None = None
    error: str | None = None


class _Body(msgspec.Struct):
    name: str
    arguments: msgspec.Raw = msgspec.Raw(b"{}")


def parse_hermes(text: str, cut: bool = False) -> list[ParsedCall]:
    """All calls in order. `cut`: the generation stopped at its token limit, so a last open call is incomplete."""
    return [_parse(match.group(1).strip(), closed=bool(match.group(2)), cut=cut) for match in _CALL.finditer(text)]


def _parse(body: str, closed: bool, cut: bool) -> ParsedCall:
    if not closed and cut:
        return ParsedCall(None, body, error="the reply was cut at its token limit inside a call; write a shorter one")
    try:
        call = msgspec.json.decode(body.encode("utf-8", "replace"), type=_Body)
    except (msgspec.ValidationError, msgspec.DecodeError, RecursionError) as error:
        return ParsedCall(None, body, error=f"the call is not of the form {_FORM}: {error}")
    text = bytes(call.arguments).decode()
    try:
        arguments = msgspec.json.decode(text.encode(), type=dict[str, Any])
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        return ParsedCall(call.name, text, error=f"arguments of {call.name} must be a JSON object: {error}")
    return ParsedCall(call.name, text, arguments)
