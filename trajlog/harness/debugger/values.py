"""Values of a stopped program as short text: bounded, without addresses, without running the program's own code.

Loaded by path inside the debuggee. Objects are shown by what they store (`Cart(items=[], total=0)`): `__repr__`,
properties, `__getattr__`, `__class__` and iteration of the program's classes are never called. `repr` is called only
for a few types of the standard library, and for types whose `repr` is written in C and that store nothing visible.
"""

import collections
import enum
import itertools
import re
import sys
import threading
import types

MAX_ITEMS = 8
MAX_ATTRIBUTES = 12
MAX_DEPTH = 3
MAX_STRING = 200
MAX_VARIABLES = 40

_OPEN = {list: "[]", tuple: "()", set: "{}", frozenset: ("frozenset({", "})"), collections.deque: ("deque([", "])")}
_VIEWS = (type({}.keys()), type({}.values()), type({}.items()))
_SUSPENDED = (types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType)
_TRUSTED = {
    ("builtins", "range"), ("datetime", "datetime"), ("datetime", "date"), ("datetime", "time"),
    ("datetime", "timedelta"), ("datetime", "timezone"), ("decimal", "Decimal"), ("fractions", "Fraction"),
    ("uuid", "UUID"), ("pathlib", "PosixPath"), ("pathlib", "PurePosixPath"), ("zoneinfo", "ZoneInfo"),
    ("ipaddress", "IPv4Address"),
}  # fmt: skip
mro = type.__dict__["__mro__"].__get__
type_name = type.__dict__["__qualname__"].__get__
namespace = type.__dict__["__dict__"].__get__


class Bounds:
    """How much of a value is shown: characters in all, items of a container, attributes, levels, one string."""

    def __init__(self, chars: int = 400, items: int = MAX_ITEMS, attributes: int = MAX_ATTRIBUTES,
                 depth: int = MAX_DEPTH, string: int = MAX_STRING) -> None:  # fmt: skip
        self.chars, self.items, self.attributes, self.depth, self.string = chars, items, attributes, depth, string


BRIEF = Bounds()
RESULT = Bounds(chars=1000)
LONG = Bounds(chars=4000, items=50, attributes=40, depth=5, string=2000)


def show(value: object, bounds: Bounds = BRIEF) -> str:
    """`value` in at most about `bounds.chars` characters; a cut says how much there was."""
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", _show(value, bounds, 0, ()))
    limit = bounds.chars
    return text if len(text) <= limit else f"{text[: limit - 20]}... ({len(text)} chars)"


def show_locals(variables: dict[str, object]) -> list[str]:
    """`name = value` lines. Names with dunders and those that tools plant are left out; what is not data (modules,
    functions, classes) is only named, on one line."""
    lines: list[str] = []
    other: list[str] = []
    for name, value in list(variables.items()):
        if not isinstance(name, str) or (name.startswith("__") and name.endswith("__")) or not name.isidentifier():
            continue
        if is_a(value, types.ModuleType, type, types.FunctionType, types.BuiltinFunctionType):
            other.append(name)
        elif len(lines) < MAX_VARIABLES:
            lines.append(f"{name} = {show(value)}")
        else:
            lines.append("")
    if len(lines) > MAX_VARIABLES:
        lines[MAX_VARIABLES:] = [f"({len(lines) - MAX_VARIABLES} more variables)"]
    if other:
        named = ", ".join(other[:20]) + (f" and {len(other) - 20} more" if len(other) > 20 else "")
        lines.append(f"(functions, classes, modules: {named})")
    return lines or ["no variables"]


def show_exception(error: BaseException) -> str:
    """`ValueError: text`, from the stored arguments; `__str__` is not called."""
    arguments = BaseException.__dict__["args"].__get__(error)
    if len(arguments) == 1 and type(arguments[0]) is str and type(error) is not KeyError:
        text = arguments[0][:MAX_STRING]
    else:
        text = ", ".join(_show(argument, BRIEF, 1, ()) for argument in arguments[:MAX_ITEMS])
    return f"{type_name(type(error))}: {text}" if text else type_name(type(error))


def stored(value: object) -> list[tuple[str, object]] | None:
    """What the object stores in its slots and its `__dict__`, past any `__getattr__`; None if it stores nothing so."""
    found: list[tuple[str, object]] = []
    kind = type(value)
    has_dict = False
    for base in reversed(mro(kind)):
        for name, slot in namespace(base).items():
            if type(slot) is types.MemberDescriptorType and not name.startswith("__"):
                try:
                    found.append((name, slot.__get__(value, kind)))
                except AttributeError:
                    continue
            elif name == "__dict__":
                has_dict = type(slot) in (types.GetSetDescriptorType, types.MemberDescriptorType)
    if not has_dict:
        return found or None
    try:
        return found + list(dict.items(object.__getattribute__(value, "__dict__")))
    except (AttributeError, TypeError, RuntimeError):
        return found or None


def _is_method_of_c(value: object) -> bool:
    return type(value) is types.BuiltinFunctionType and not is_a(value.__self__, types.ModuleType)


def _among(kind: type, *kinds: type) -> bool:
    """`in` by identity: the `==` and the hash of a class may be the program's own, by its metaclass."""
    return any(kind is other for other in kinds)


def _module(kind: type) -> str:
    found = type.__dict__["__module__"].__get__(kind)
    return found if type(found) is str else ""


def is_a(value: object, *kinds: type) -> bool:
    """isinstance by the real type, which an object's own `__class__` cannot change."""
    return any(base is kind for base in mro(type(value)) for kind in kinds)


def _show(value: object, bounds: Bounds, depth: int, above: tuple[int, ...]) -> str:
    kind = type(value)
    if value is None or _among(kind, bool, float, complex):
        return repr(value)
    if is_a(value, enum.Enum):
        return f"{type_name(kind)}.{dict(stored(value) or ()).get('_name_')}"
    if kind is int:
        return repr(value) if value.bit_length() <= 512 else f"int of {value.bit_length()} bits"
    if _among(kind, str, bytes, bytearray):
        cut = repr(value[: bounds.string])
        return cut if len(value) <= bounds.string else f"{cut}... (length {len(value)})"
    for base in (str, bytes, int, float):
        if is_a(value, base):
            plain = base.__getitem__(value, slice(bounds.string)) if base in (str, bytes) else base.__pos__(value)
            return f"{type_name(kind)}({_show(plain, bounds, depth, above)})"
    if is_a(value, types.ModuleType):
        return f"module {dict(stored(value) or ()).get('__name__')}"
    if is_a(value, type):
        return f"class {type_name(value)}"
    if kind is types.MethodType:
        value = value.__func__
    if is_a(value, types.FunctionType):
        return f"function {value.__qualname__}({_parameters(value.__code__)})"
    if id(value) in above:
        return "..."
    if depth >= bounds.depth:
        return f"{type_name(kind)}(...)"
    try:
        return _inside(value, bounds, depth, (*above, id(value)))
    except RuntimeError:  # another thread changes it meanwhile
        return f"{type_name(kind)} (changing while shown)"


def _inside(value, bounds: Bounds, depth: int, below: tuple[int, ...]) -> str:
    """A value that holds others, or that only its `repr` can tell."""
    kind = type(value)

    def each(values):
        return (_show(item, bounds, depth + 1, below) for item in values)

    if is_a(value, dict):
        pairs = (f"{key}: {item}" for key, item in _pairs(dict.items(value), each))
        return _items(kind, dict, "{}", pairs, dict.__len__(value), bounds)
    for base, ends in _OPEN.items():
        if is_a(value, base):
            return _items(kind, base, ends, each(base.__iter__(value)), base.__len__(value), bounds)
    if _among(kind, *_VIEWS):
        return f"{type_name(kind)}({_items(list, list, '[]', each(iter(value)), len(value), bounds)})"
    if is_a(value, BaseException):
        arguments = BaseException.__dict__["args"].__get__(value)
        return f"{type_name(kind)}({', '.join(each(arguments[: bounds.items]))})"
    module = _module(kind)
    if (module, type_name(kind)) in _TRUSTED:
        return repr(value)[: 2 * bounds.string]
    attributes = stored(value)
    if is_a(value, threading.Thread):
        return f"{type_name(kind)} {dict(attributes or ()).get('_name')!r}"
    if attributes is not None and module.partition(".")[0] in sys.stdlib_module_names:
        # Of a library's object: what it shows to everybody, if anything, and less of what that holds.
        data = [found for found in attributes if not _is_method_of_c(found[1])]
        attributes = [found for found in data if not found[0].startswith("_")] or data
        depth += 1
    if attributes is not None and not _among(kind, *_SUSPENDED):
        shown = [f"{name}={_show(item, bounds, depth + 1, below)}" for name, item in attributes[: bounds.attributes]]
        if len(attributes) > bounds.attributes:
            shown.append(f"... {len(attributes) - bounds.attributes} more")
        return f"{type_name(kind)}({', '.join(shown)})"
    return _by_repr(value, kind, bounds)


def _pairs(items, each):
    for key, item in items:
        yield tuple(each((key, item)))


def _by_repr(value, kind: type, bounds: Bounds) -> str:
    own = next((vars(base)["__repr__"] for base in mro(kind) if "__repr__" in vars(base)), None)
    if own is object.__repr__ or not isinstance(own, types.WrapperDescriptorType):
        return f"{type_name(kind)} object"
    try:
        return own(value)[: 2 * bounds.string]
    except Exception as error:
        return f"{type_name(kind)} (its repr raised {type_name(type(error))})"


def _items(kind, base, ends, parts, length, bounds: Bounds) -> str:
    shown = list(itertools.islice(parts, bounds.items))
    if length > len(shown):
        shown.append(f"... {length - len(shown)} more")
    inner = ", ".join(shown)
    if base is tuple and length == 1:
        inner += ","
    text = "set()" if base is set and not length else f"{ends[0]}{inner}{ends[1]}"
    return text if kind is base else f"{type_name(kind)}({text})"


def _parameters(code: types.CodeType) -> str:
    """Names of the parameters; defaults are values of the program, whose `repr` is not called."""
    plain = code.co_argcount + code.co_kwonlyargcount
    names = list(code.co_varnames[:plain])
    rest = iter(code.co_varnames[plain:])
    if code.co_flags & 0x04:
        names.insert(code.co_argcount, f"*{next(rest)}")
    if code.co_flags & 0x08:
        names.append(f"**{next(rest)}")
    return ", ".join(names)
