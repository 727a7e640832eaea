"""The form of OpenAI messages: {"tool_calls": [{"type": "function", "function": {"name": ..., "arguments": "{...}"}}]}.

`arguments` is a string that holds a JSON object; an object itself is taken too. Text around the JSON is passed over.
Items are read one by one: behind a broken one reading goes on where the next one begins.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

import msgspec

from trajlog.producers.tool_calls.base import CUT, Call, ParsedCall, Schemas, at_most, json_end, read_arguments

_CALLS = re.compile(r'"tool_calls"\s*:\s*\[')
_BETWEEN = re.compile(r"[\s,]*")
_ITEM = re.compile(r'\{\s*"(?:id|type|function)"\s*:')
_FORM = '{"tool_calls": [{"type": "function", "function": {"name": "NAME", "arguments": "{\\"KEY\\": \\"VALUE\\"}"}}]}'


class _Function(msgspec.Struct):
    name: str
    arguments: msgspec.Raw = msgspec.Raw(b"{}")


class _Item(msgspec.Struct):
    function: _Function


class OpenAI:
    name = "openai"
    no_call = f"No tool call found. Reply with {_FORM}"

    def parse(self, text: str, schemas: Schemas, cut: bool = False) -> list[ParsedCall]:
        return at_most(_calls(text, cut))

    def render(self, calls: Sequence[Call]) -> str:
        items = [
            {
                "type": "function",
                "function": {"name": c.name, "arguments": json.dumps(c.arguments, ensure_ascii=False)},
            }
            for c in calls
        ]
        return json.dumps({"tool_calls": items}, ensure_ascii=False)

    def describe(self, schemas: Schemas) -> str:
        lines = "\n".join(json.dumps(s, separators=(",", ":"), ensure_ascii=False) for s in schemas)
        return f"Tools:\n{lines}\nTo call one, reply with\n{_FORM}"


def _calls(text: str, cut: bool) -> Iterator[ParsedCall]:
    position = 0
    while (found := _CALLS.search(text, position)) is not None:
        position = found.end()
        while (start := _skip(text, position)) < len(text) and text[start] != "]":
            end = json_end(text, start)
            if end is not None:
                yield _item(text[start:end])
                position = end
                continue
            following = _ITEM.search(text, start + 1)
            position = len(text) if following is None else following.start()
            message = CUT if cut and following is None else f"a call is not valid JSON. The form is {_FORM}"
            yield ParsedCall(None, text[start:position].strip(), error=message)
        position = start


def _skip(text: str, position: int) -> int:
    match = _BETWEEN.match(text, position)
    assert match is not None
    return match.end()


def _item(body: str) -> ParsedCall:
    try:
        function = msgspec.json.decode(body.encode("utf-8", "replace"), type=_Item).function
    except (msgspec.ValidationError, msgspec.DecodeError, RecursionError) as error:
        return ParsedCall(None, body, error=f"a call is not of the form {_FORM}: {error}")
    return read_arguments(function.name, bytes(function.arguments).decode())
