"""Plain values as JSON, exactly: what a test saw, told from inside a sandbox and compared outside it.

Both ends use this file; it imports only the standard library, so that it can be loaded by path in a sandbox. A value
is None, a bool, a number, text, bytes, or a list, tuple, dict or set of plain values. As JSON:

    None, bool, str, int below 2**53, list    themselves
    {"int": "0x..."}                          a larger int, in hexadecimal
    {"float": "0.1"}                          a float, as `repr` writes it
    {"decimal": "0.10"}                       a decimal.Decimal
    {"str": "6869"} {"bytes": "6869"}         text with lone surrogates (UTF-8, surrogatepass); bytes; hexadecimal
    {"tuple": [...]} {"set": [...]}           also frozenset and the keys or items of a dict; a set's are sorted
    {"dict": [[key, value], ...]}
    {"other": "Money"}                        no plain value, or one too deep or too big: equal to nothing

`encode` reads subclasses through the slots of the built-in class and never calls a method that an object could
override: an int that claims to equal everything is told as the number it is. `matches` and `text` read JSON that a
stranger may have written: their work is bounded by the expected value, and nothing told is ever hashed.
"""

import json
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any

MAX_DEPTH = 40
MAX_NODES = 10_000
MAX_CHARACTERS = 200_000
_JSON_INT = 2**53
_KEYS: type = type(dict[str, str]().keys())
_ITEMS: type = type(dict[str, str]().items())
_dumps = json.dumps  # kept: a program under test may replace the module's own
_no_value = object()
_PLAIN = (bool, int, float, str, bytes, list, tuple, dict, set, frozenset, type(None))


def is_plain(value: Any) -> bool:
    """Whether `value` is exactly of the built-in plain types, all the way down."""
    if type(value) is dict:
        return all(is_plain(key) and is_plain(item) for key, item in value.items())
    if type(value) in (list, tuple, set, frozenset):
        return all(map(is_plain, value))
    return type(value) in _PLAIN


class _TooBig(Exception):
    pass


class _Encoder:
    """One value's encoding, with what is left of its size."""

    def __init__(self) -> None:
        self._nodes = MAX_NODES
        self._characters = MAX_CHARACTERS

    def encode(self, value: Any, depth: int) -> Any:
        self._nodes -= 1
        if self._nodes < 0 or depth > MAX_DEPTH:
            raise _TooBig
        kind = type(value)  # unlike isinstance(), not deceived by a property called __class__
        if value is None or value is True or value is False:
            return value
        if issubclass(kind, int):
            number = int.__index__(value)
            if -_JSON_INT < number < _JSON_INT:
                return number
            self._spend(number.bit_length() // 4)
            return {"int": hex(number)}
        if issubclass(kind, float):
            return {"float": float.__repr__(value)}
        if issubclass(kind, str):
            return self._text(str.__str__(value))
        if issubclass(kind, bytes | bytearray):
            base: Any = bytes if issubclass(kind, bytes) else bytearray
            self._spend(base.__len__(value) * 2)
            return {"bytes": base.hex(value)}
        if issubclass(kind, list):
            return self._all(list.__iter__(value), depth)
        if issubclass(kind, tuple):
            return {"tuple": self._all(tuple.__iter__(value), depth)}
        if issubclass(kind, dict):
            return {"dict": [self._all(iter(pair), depth) for pair in dict.items(value)]}
        if issubclass(kind, set | frozenset) or kind in (_KEYS, _ITEMS):
            base = set if issubclass(kind, set) else frozenset if issubclass(kind, frozenset) else kind
            return {"set": sorted(self._all(base.__iter__(value), depth), key=_dumps)}
        if issubclass(kind, Decimal):
            text = Decimal.__str__(value)
            self._spend(len(text))
            return {"decimal": text}
        return {"other": type.__dict__["__name__"].__get__(kind)[:80]}

    def _all(self, items: Any, depth: int) -> list[Any]:
        return [self.encode(item, depth + 1) for item in items]

    def _text(self, value: str) -> Any:
        self._spend(len(value))
        try:
            value.encode()
        except UnicodeEncodeError:
            return {"str": value.encode("utf-8", "surrogatepass").hex()}
        return value

    def _spend(self, characters: int) -> None:
        self._characters -= characters
        if self._characters < 0:
            raise _TooBig


def encode(value: object) -> Any:
    """`value` as JSON data (see the module). Never raises for what an object does; too big a value is "other"."""
    try:
        return _Encoder().encode(value, 0)
    except Exception as error:  # also a container that another thread changes meanwhile
        name = type.__dict__["__name__"].__get__(type(value))[:80]
        return {"other": f"{name}, too big" if isinstance(error, _TooBig) else name}


def matches(found: Any, expected: object) -> bool:
    """Whether the told value equals the plain value `expected`, as `==` says of plain values."""
    if isinstance(expected, list | tuple):
        items = found if isinstance(expected, list) else _tagged(found, "tuple")
        return _same_length(items, expected) and all(map(matches, items, expected))
    if isinstance(expected, dict):
        pairs = _tagged(found, "dict")
        return _same_length(pairs, expected) and all(
            any(
                _same_length(pair, (key, value)) and matches(pair[0], key) and matches(pair[1], value) for pair in pairs
            )
            for key, value in expected.items()
        )
    if isinstance(expected, set | frozenset):
        items = _tagged(found, "set")
        return _same_length(items, expected) and all(any(matches(item, one) for item in items) for one in expected)
    scalar = _scalar(found)
    return scalar is not _no_value and bool(scalar == expected)


def text(found: Any, limit: int = 200) -> str:
    """The told value as Python writes it, for people; `<Money>` for what is no plain value."""
    written = _written(found, limit)
    return written if len(written) <= limit else f"{written[:limit]}..."


def _written(found: Any, limit: int, depth: int = 0) -> str:
    if depth > MAX_DEPTH:
        return "..."
    for tag, brackets in (("", "[]"), ("tuple", "()"), ("set", "{}"), ("dict", "{}")):
        items = found if not tag else _tagged(found, tag)
        if not isinstance(items, list):
            continue
        parts: list[str] = []
        for item in items:
            if sum(map(len, parts)) > limit:
                break
            if tag == "dict" and isinstance(item, list) and len(item) == 2:
                parts.append(f"{_written(item[0], limit, depth + 1)}: {_written(item[1], limit, depth + 1)}")
            else:
                parts.append(_written(item, limit, depth + 1))
        comma = "," if tag == "tuple" and len(parts) == 1 else ""
        return "set()" if tag == "set" and not items else f"{brackets[0]}{', '.join(parts)}{comma}{brackets[1]}"
    scalar = _scalar(found)
    if scalar is not _no_value:
        return hex(scalar) if type(scalar) is int and abs(scalar) >= _JSON_INT else repr(scalar)[: limit + 1]
    return f"<{_tagged(found, 'other') or 'no plain value'}>"


def _tagged(found: Any, tag: str) -> Any:
    return found[tag] if isinstance(found, dict) and list(found) == [tag] else None


def _same_length(items: Any, expected: Any) -> bool:
    return isinstance(items, list) and len(items) == len(expected)


def _scalar(found: Any) -> Any:
    """The told number, text, bytes, bool or None; `_no_value` for anything else."""
    if found is None or isinstance(found, bool | int | float | str):
        return found
    for tag, read in _READERS.items():
        told = _tagged(found, tag)
        if isinstance(told, str) and len(told) <= MAX_CHARACTERS:
            try:
                return read(told)
            except (ValueError, InvalidOperation):
                return _no_value
    return _no_value


_READERS: dict[str, Callable[[str], Any]] = {
    "int": lambda told: int(told, 16),
    "float": float,
    "decimal": Decimal,
    "bytes": bytes.fromhex,
    "str": lambda told: bytes.fromhex(told).decode("utf-8", "surrogatepass"),
}
