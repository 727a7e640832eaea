"""Values by name, without running the program's code: `self.items[3].total` is read from what objects store.

Loaded by path inside the debuggee. Properties, `__getattr__` and the program's own `__getitem__` are refused.
"""

import ast
import builtins
import collections

from . import values

_SEQUENCES = (list, tuple, str, bytes, collections.deque)
_GETTERS = {kind: kind.__dict__["__getitem__"] for kind in (*_SEQUENCES, dict)}


class NotStored(Exception):
    """The path leads to nothing that is simply stored; the message is meant for the agent."""


def value_at(path: str, frame) -> object:
    """The value of a name, or of a dotted and indexed path from it. Raises NotStored."""
    try:
        tree = ast.parse(path.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise NotStored(f"{path!r} is not a name or a path like order.items[0].") from None
    return resolve(tree, frame)


def resolve(node: ast.expr, frame) -> object:
    """Like `value_at`, for an expression that is parsed already."""
    if isinstance(node, ast.Name):
        for names in (frame.f_locals, frame.f_globals, vars(builtins)):
            if node.id in names:
                return names[node.id]
        raise NotStored(f"there is no variable {node.id!r} here.")
    if isinstance(node, ast.Attribute):
        return _attribute(resolve(node.value, frame), node.attr, ast.unparse(node))
    if isinstance(node, ast.Subscript):
        return _item(resolve(node.value, frame), _index(node.slice, frame), ast.unparse(node))
    raise NotStored(f"{ast.unparse(node)[:80]} is not a name or a path; run_expression evaluates expressions.")


def _attribute(value: object, name: str, text: str) -> object:
    for found, item in values.stored(value) or ():
        if found == name:
            return item
    owner = value if values.is_a(value, type) else type(value)
    for base in values.mro(owner):
        stored = values.namespace(base)
        if name in stored:
            item = stored[name]
            if hasattr(type(item), "__get__") and not values.is_a(value, type):
                kind = "a property" if isinstance(item, property) else f"a {type(item).__name__} of its class"
                raise NotStored(f"{text} is {kind}; run_expression evaluates it.")
            return item
    names = [found for found, _ in values.stored(value) or ()]
    has = f" It stores {', '.join(names[:20])}." if names else ""
    raise NotStored(f"{text}: {values.type_name(type(value))} stores no {name!r}.{has}")


def _item(value: object, index: object, text: str) -> object:
    for kind, getter in _GETTERS.items():
        if values.is_a(value, kind):
            try:
                return getter(value, index)
            except (KeyError, IndexError, TypeError) as error:
                raise NotStored(f"{text}: {values.show_exception(error)}") from None
    raise NotStored(f"{text}: a {values.type_name(type(value))} runs its own code for []; use run_expression.")


def _index(node: ast.expr, frame) -> object:
    if isinstance(node, ast.Slice):
        ends = (node.lower, node.upper, node.step)
        return slice(*(None if end is None else _index(end, frame) for end in ends))
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError):
        return resolve(node, frame)
