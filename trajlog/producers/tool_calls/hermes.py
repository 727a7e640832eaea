"""The Hermes form: <tool_call>{"name": ..., "arguments": {...}}</tool_call>.

A call ends where its JSON ends, so a closing tag inside a string is text. Where the JSON is broken it ends at the next
tag, so that the calls behind it are still read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

import msgspec

from trajlog.producers.tool_calls.base import CUT, Call, ParsedCall, Schemas, at_most, json_end, read_arguments
from trajlog.serving.tokenizers import hermes_description

OPEN, CLOSE = "<tool_call>", "</tool_call>"
_TAG = re.compile(r"</?tool_call>")
_SPACE = re.compile(r"\s*")
_FORM = '<tool_call>{"name": "NAME", "arguments": {"KEY": "VALUE"}}</tool_call>'


class _Body(msgspec.Struct):
    name: str
    arguments: msgspec.Raw = msgspec.Raw(b"{}")


class Hermes:
    name = "hermes"
    no_call = 'No tool call found. Reply with <tool_call>{"name": "NAME", "arguments": {...}}</tool_call>'

    def parse(self, text: str, schemas: Schemas, cut: bool = False) -> list[ParsedCall]:
        return at_most(_calls(text, cut))

    def render(self, calls: Sequence[Call]) -> str:
        bodies = (json.dumps({"name": c.name, "arguments": c.arguments}, ensure_ascii=False) for c in calls)
        return "\n".join(f"{OPEN}\n{body}\n{CLOSE}" for body in bodies)

    def describe(self, schemas: Schemas) -> str:
        return hermes_description(schemas)


def _calls(text: str, cut: bool) -> Iterator[ParsedCall]:
    position = 0
    while (found := text.find(OPEN, position)) >= 0:
        start = found + len(OPEN)
        end, closed, position = _extent(text, start)
        yield _parse(text[start:end].strip(), closed, cut)


def _extent(text: str, start: int) -> tuple[int, bool, int]:
    """Where the body that begins at `start` ends, whether its closing tag is there, and where to read on."""
    value_end = json_end(text, _skip(text, start))
    if value_end is not None:
        after = _skip(text, value_end)
        if text.startswith(CLOSE, after):
            return value_end, True, after + len(CLOSE)
        if after == len(text) or text.startswith(OPEN, after):
            return value_end, False, after
    tag = _TAG.search(text, start)
    if tag is None:
        return len(text), False, len(text)
    closed = tag.group() == CLOSE
    return tag.start(), closed, tag.end() if closed else tag.start()


def _skip(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    assert match is not None
    return match.end()


def _parse(body: str, closed: bool, cut: bool) -> ParsedCall:
    if not closed and cut:
        return ParsedCall(None, body, error=CUT)
    try:
        call = msgspec.json.decode(body.encode("utf-8", "replace"), type=_Body)
    except (msgspec.ValidationError, msgspec.DecodeError, RecursionError) as error:
        return ParsedCall(None, body, error=f"the call is not of the form {_FORM}: {error}")
    return read_arguments(call.name, bytes(call.arguments).decode())
