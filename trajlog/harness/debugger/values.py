"""Values of a stopped program as short text: bounded, without addresses, without running the program's own code.

Loaded by path inside the debuggee; imports nothing of ours. Objects of the program's classes are shown by their
attributes (`Cart(items=[], total=0)`); their `__repr__` and properties are never called. Types of libraries are
shown by their `repr`.
"""

import collections
import enum
import inspect
import re
import types

MAX_ITEMS = 8
MAX_ATTRIBUTES = 12
MAX_DEPTH = 3
MAX_STRING = 200
MAX_VARIABLES = 40
_OPEN = {list: "[]", tuple: "()", set: "{}", frozenset: ("frozenset({", "})"), collections.deque: ("deque([", "])")}


def show(value: object, limit: int = 400) -> str:
    """`value` in at most about `limit` characters."""
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", _show(value, 0, ()))
    return text if len(text) <= limit else f"{text[: limit - 20]}... ({len(text)} chars)"


def show_locals(variables: dict[str, object]) -> list[str]:
    """`name = value` lines. Names with dunders and those that tools plant are left out; what is not data (modules,
    functions, classes) is only named, on one line."""
    lines: list[str] = []
    other: list[str] = []
    for name, value in variables.items():
        if (name.startswith("__") and name.endswith("__")) or not name.isidentifier():
            continue
        if isinstance(value, types.ModuleType | type) or (callable(value) and hasattr(value, "__code__")):
            other.append(name)
        else:
            lines.append(f"{name} = {show(value)}")
    if len(lines) > MAX_VARIABLES:
        lines[MAX_VARIABLES:] = [f"({len(lines) - MAX_VARIABLES} more variables)"]
    if other:
        named = ", ".join(other[:20]) + (f" and {len(other) - 20} more" if len(other) > 20 else "")
        lines.append(f"(functions, classes, modules: {named})")
    return lines or ["no variables"]


def _show(value: object, depth: int, above: tuple[int, ...]) -> str:
    kind = type(value)
    if value is None or kind in (bool, float, complex):
        return repr(value)
    if kind is int:
        return repr(value) if value.bit_length() <= 512 else f"int of {value.bit_length()} bits"
    if kind in (str, bytes, bytearray):
        cut = repr(value[:MAX_STRING])
        return cut if len(value) <= MAX_STRING else f"{cut}... (length {len(value)})"
    if isinstance(value, types.ModuleType):
        return f"module {value.__name__}"
    if isinstance(value, type):
        return f"class {value.__qualname__}"
    if isinstance(value, types.FunctionType | types.MethodType):
        return f"function {value.__qualname__}{_signature(value)}"
    if id(value) in above:
        return "..."
    if depth >= MAX_DEPTH:
        return f"{kind.__qualname__}(...)"
    below = (*above, id(value))
    if isinstance(value, enum.Enum):
        return f"{kind.__qualname__}.{value._name_}"
    if isinstance(value, dict):
        return _items(kind, dict, "{}", _pairs(value, depth, below), dict.__len__(value))
    for base, ends in _OPEN.items():
        if isinstance(value, base):
            parts = (_show(item, depth + 1, below) for item in base.__iter__(value))
            return _items(kind, base, ends, parts, base.__len__(value))
    if isinstance(value, BaseException):
        arguments = ", ".join(_show(item, depth + 1, below) for item in value.args[:MAX_ITEMS])
        return f"{kind.__qualname__}({arguments})"
    attributes = _attributes(value)
    if attributes is not None and not _of_library(kind):
        shown = [f"{name}={_show(item, depth + 1, below)}" for name, item in attributes[:MAX_ATTRIBUTES]]
        if len(attributes) > MAX_ATTRIBUTES:
            shown.append(f"... {len(attributes) - MAX_ATTRIBUTES} more")
        return f"{kind.__qualname__}({', '.join(shown)})"
    try:
        return repr(value)[: 2 * MAX_STRING]
    except Exception as error:
        return f"{kind.__qualname__} (its repr raised {type(error).__name__})"


def _pairs(value, depth, below):
    for key, item in dict.items(value):
        yield f"{_show(key, depth + 1, below)}: {_show(item, depth + 1, below)}"


def _items(kind, base, ends, parts, length) -> str:
    shown = []
    for part in parts:
        if len(shown) == MAX_ITEMS:
            shown.append(f"... {length - MAX_ITEMS} more")
            break
        shown.append(part)
    inner = ", ".join(shown)
    if base is tuple and length == 1:
        inner += ","
    if base is set and not length:
        return "set()"
    text = f"{ends[0]}{inner}{ends[1]}"
    return text if kind is base else f"{kind.__qualname__}({text})"


def _attributes(value: object) -> list[tuple[str, object]] | None:
    """What the object stores, from its `__dict__` and slots, past any `__getattr__`; None if it stores nothing so."""
    found: list[tuple[str, object]] = []
    kind = type(value)
    for base in reversed(kind.__mro__):
        for name, slot in vars(base).items():
            if isinstance(slot, types.MemberDescriptorType) and not name.startswith("__"):
                try:
                    found.append((name, slot.__get__(value, kind)))
                except AttributeError:
                    continue
    try:
        stored = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return found or None
    return found + list(dict.items(stored))


def _of_library(kind: type) -> bool:
    """Whether the type comes from the interpreter or an installed package, whose repr is trusted to be brief."""
    module = __import__("sys").modules.get(kind.__module__)
    file = getattr(module, "__file__", None)
    return kind.__module__ != "__main__" and (file is None or "/lib/python" in file)


def _signature(function) -> str:
    try:
        return str(inspect.signature(function))
    except (TypeError, ValueError):
        return "(...)"
