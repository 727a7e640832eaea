"""The form of Qwen3-Coder, in which values are plain text and get their type from the tool's schema:

    <tool_call>
    <function=edit_file>
    <parameter=path>
    calc.py
    </parameter>
    </function>
    </tool_call>

One newline behind the opening tag and one before the closing tag belong to the form, the rest is the value. So a text
that ends in a newline is written with an empty line before `</parameter>`. Models often leave that line out, which
would take the last newline from every file they make: `edit_file` with an empty `old_str`, which makes a file, gets it
back. (When text is replaced, `old_str` and `new_str` lose it alike, which changes nothing.)

A value ends at a `</parameter>` behind which the form goes on, so tags inside a value are text, unless they spell out
how the form goes on, or the beginning of another call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from trajlog.producers.tool_calls.base import CUT, Call, ParsedCall, Schemas, at_most

_START = re.compile(r"<tool_call>|<function=")
_BOUNDARY = re.compile(r"</?tool_call>|</function>")
_FUNCTION = re.compile(r"\s*<function=([^<>\n]*)>")
_PARAMETER = re.compile(r"\s*<parameter=([^<>\n]*)>")
_END = re.compile(r"\s*</function>\s*(?:</tool_call>|(?=<tool_call>|<function=)|\Z)")
_VALUE_END = re.compile(
    r"</parameter>(?=\s*(?:<parameter=[^<>\n]*>|</function>\s*(?:</tool_call>|<tool_call>|<function=|\Z)))"
    r"|(<tool_call>\s*<function=)"
)
_FORM = "<tool_call>\n<function=NAME>\n<parameter=KEY>\nVALUE\n</parameter>\n</function>\n</tool_call>"
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_BOOLEANS = {"true": True, "True": True, "false": False, "False": False}
_INTRODUCTION = (
    "Tools:\n<tools>\n{lines}\n</tools>\nTo call one, reply with\n{form}\nwith one <parameter=KEY> block per argument."
)


class Qwen3Coder:
    name = "qwen3_coder"
    no_call = f"No tool call found. Reply with\n{_FORM}"

    def parse(self, text: str, schemas: Schemas, cut: bool = False) -> list[ParsedCall]:
        return at_most(_Reader(text, schemas, cut).calls())

    def render(self, calls: Sequence[Call]) -> str:
        return "\n".join(map(_render, calls))

    def describe(self, schemas: Schemas) -> str:
        lines = "\n".join(json.dumps(s["function"], separators=(",", ":"), ensure_ascii=False) for s in schemas)
        return _INTRODUCTION.format(lines=lines, form=_FORM)


class _Bad(Exception):
    """Why a call cannot be run, in words for the model."""

    def __init__(self, message: str, name: str | None = None) -> None:
        super().__init__(message)
        self.name = name


class _Reader:
    """One pass over a text. `position` only rises."""

    def __init__(self, text: str, schemas: Schemas, cut: bool) -> None:
        self._text = text
        self._cut = cut
        self._types = {s["function"]["name"]: _types(s["function"]) for s in schemas}
        self._position = 0
        self._no_value_ends = False
        """No value ends between here and the end of the text, so none need be searched for again."""

    def calls(self) -> Iterator[ParsedCall]:
        while (start := _START.search(self._text, self._position)) is not None:
            begin = start.end() if start.group() == "<tool_call>" else start.start()
            self._position = begin
            try:
                yield self._call()
            except _Bad as bad:
                tag = _BOUNDARY.search(self._text, max(self._position, start.end()))
                self._position = len(self._text) if tag is None else tag.start()
                message = CUT if self._cut and tag is None else str(bad)
                yield ParsedCall(bad.name, self._text[begin : self._position].strip(), error=message)

    def _call(self) -> ParsedCall:
        function = _FUNCTION.match(self._text, self._position)
        if function is None:
            raise _Bad(f"the call is not of the form\n{_FORM}")
        self._position = function.end()
        name, values = function.group(1).strip(), dict[str, str]()
        doubled = None
        while (parameter := _PARAMETER.match(self._text, self._position)) is not None:
            self._position = parameter.end()
            key = parameter.group(1).strip()
            doubled = key if key in values else doubled
            values[key] = self._value(name, key)
        end = _END.match(self._text, self._position)
        if end is None:
            raise _Bad(f"</function> is missing, or not followed by </tool_call>. The form is\n{_FORM}", name)
        if self._cut and end.end() == len(self._text) and not end.group().endswith("</tool_call>"):
            raise _Bad(CUT, name)
        self._position = end.end()
        as_text = json.dumps(values, ensure_ascii=False)
        if doubled is not None:
            return ParsedCall(name, as_text, error=f"parameter {doubled} is given twice")
        try:
            arguments = {key: _typed(key, value, self._types.get(name, {})) for key, value in values.items()}
        except _Bad as bad:
            return ParsedCall(name, as_text, error=str(bad))
        arguments = _with_last_newline(name, arguments)
        return ParsedCall(name, json.dumps(arguments, ensure_ascii=False), arguments)

    def _value(self, name: str, key: str) -> str:
        end = None if self._no_value_ends else _VALUE_END.search(self._text, self._position)
        if end is None or end.group(1) is not None:
            self._no_value_ends = end is None
            raise _Bad(f"parameter {key} is not closed by </parameter>. The form is\n{_FORM}", name)
        value = self._text[self._position : end.start()]
        self._position = end.end()
        return value.removeprefix("\n").removesuffix("\n")


def _types(function: Mapping[str, Any]) -> dict[str, str]:
    return {name: schema["type"] for name, schema in function["parameters"]["properties"].items()}


def _typed(key: str, value: str, types: Mapping[str, str]) -> str | int | bool:
    """The value by its declared type. One that is not declared stays text; the tool refuses it by name."""
    match types.get(key, "string"):
        case "integer":
            if _INTEGER.fullmatch(value.strip()) is None:
                raise _Bad(f"{key} must be a whole number, got {value.strip()[:60]!r}")
            return int(value)
        case "boolean":
            if value.strip() not in _BOOLEANS:
                raise _Bad(f"{key} must be true or false, got {value.strip()[:60]!r}")
            return _BOOLEANS[value.strip()]
    return value


def _with_last_newline(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    text = arguments.get("new_str")
    makes_file = name == "edit_file" and arguments.get("old_str") == ""
    if makes_file and isinstance(text, str) and text and not text.endswith("\n"):
        return arguments | {"new_str": f"{text}\n"}
    return arguments


def _render(call: Call) -> str:
    lines = ["<tool_call>", f"<function={call.name}>"]
    for key, value in call.arguments.items():
        shown = value if isinstance(value, str) else json.dumps(value)
        if _VALUE_END.search(f"{shown}\n</parameter>\n</function>\n</tool_call>").start() <= len(shown):  # type: ignore[union-attr]
            raise ValueError(f"{key} holds tags that end a value in this format: {shown[:60]!r}")
        lines.append(f"<parameter={key}>\n{shown}\n</parameter>")
    return "\n".join([*lines, "</function>", "</tool_call>"])
