"""What a tool-call format is: calls out of sampled text, calls into text, and how tools are described to a model.

Pure. A call that cannot be run is a call all the same: it keeps its text as sampled and says why, in words for the
model, so that the agent can answer with a format error and the log can hold what really happened. Whether a call fits
its tool (unknown names, missing and undeclared arguments) is said by the tools themselves, for every format alike.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Protocol

import msgspec

Schemas = Sequence[Mapping[str, Any]]
"""OpenAI function schemas of the tools offered."""

CUT = "the reply was cut at its token limit inside a call; write a shorter one"

MAX_CALLS = 64
"""Calls read from one reply. It also bounds the time that broken JSON takes."""

MAX_NAME = 64
"""Characters of a tool's name, as OpenAI has it."""


class Call(msgspec.Struct, frozen=True):
    """A call to be written, by a scripted policy."""

    name: str
    arguments: dict[str, Any] = {}


class ParsedCall(msgspec.Struct, frozen=True):
    """One call. `arguments_text` is what was sampled (of a format that is not JSON: the arguments as JSON, if they
    could be read); `arguments` is None when `error` says why it cannot be run."""

    name: str | None
    arguments_text: str
    arguments: dict[str, Any] | None = None
    error: str | None = None


class ToolFormat(Protocol):
    """One file here each."""

    name: str
    """Its value of episode.tool_format."""
    no_call: str
    """What the model is told after a turn without a call."""

    def parse(self, text: str, schemas: Schemas, cut: bool = False) -> list[ParsedCall]:
        """All calls in order; a bad one spoils no other. Time is linear in the text.

        `cut`: the generation stopped at its token limit, so a last open call is incomplete.
        """

    def render(self, calls: Sequence[Call]) -> str:
        """Text that parses to these calls. Raises ValueError for arguments that the format cannot hold."""

    def describe(self, schemas: Schemas) -> str:
        """For the system message of a model whose chat template does not describe tools in this format."""


class Unreadable(ValueError):
    """Text that is no JSON object; the message is meant for the model."""


def at_most(calls: Iterator[ParsedCall]) -> list[ParsedCall]:
    """The first MAX_CALLS calls; one that says so stands for all others."""
    read = [_with_a_name(call) for call in islice(calls, MAX_CALLS)]
    if next(calls, None) is not None:
        read.append(ParsedCall(None, "", error=f"a reply holds at most {MAX_CALLS} calls; the others were not read"))
    return read


def _with_a_name(call: ParsedCall) -> ParsedCall:
    if call.name is None or 1 <= len(call.name) <= MAX_NAME:
        return call
    return ParsedCall(None, call.arguments_text, error=f"the call's name must have 1 to {MAX_NAME} characters")


def json_object(text: str) -> dict[str, Any]:
    """The object that all of `text` is. Raises Unreadable, also for a name that is given twice."""
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    except Unreadable:
        raise
    except RecursionError:
        raise Unreadable("it is nested too deeply") from None
    except ValueError as error:
        raise Unreadable(str(error)) from None
    if not isinstance(value, dict):
        raise Unreadable(f"it is a {type(value).__name__}")
    return value


def json_end(text: str, start: int) -> int | None:
    """Index behind the JSON value that begins at `start`; None where there is no whole, valid one."""
    try:
        return _DECODER.raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        return None


def read_arguments(name: str, text: str) -> ParsedCall:
    """A call from the JSON text of its arguments: an object, or a string that holds one, as OpenAI writes them."""
    try:
        inner = json.loads(text) if text.startswith('"') else text
        return ParsedCall(name, inner, json_object(inner))
    except (Unreadable, ValueError, RecursionError) as error:
        return ParsedCall(name, text, error=f"arguments of {name} must be a JSON object: {error}")


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise Unreadable(f"{next(name for name in names if names.count(name) > 1)!r} is given twice")
    return found


def _refuse(constant: str) -> Any:
    raise Unreadable(f"{constant} is not JSON")


_DECODER = json.JSONDecoder()
