"""Who waits for which lock and who holds it, told from frames alone: the program's locks stay as they are.

An RLock names its owner. A Lock does not: its holder is the thread with a frame inside `with` on the same object, or
past an `acquire()` of it and before its `release()` in the text of one function. Objects are found by what names and
attributes store (see lookup.py); where that is not enough, nothing is said.
"""

import ast
import dis
import re
import threading
import types
from _thread import RLock, allocate_lock

from . import frames, lookup, values

_LOCKS = {type(allocate_lock()): "Lock", RLock: "RLock"}
_WAITS = {  # code of the library -> what it waits for
    threading.Thread.join.__code__: "thread",
    threading.Condition.wait.__code__: "notification",
    threading.Event.wait.__code__: "event",
    threading.Barrier.wait.__code__: "barrier",
}
_OPS = {"BEFORE_WITH", "CALL", "PRECALL", "CALL_KW", "CALL_FUNCTION_EX", "LOAD_SPECIAL"}


class Held:
    """A lock that a thread holds since `line` of `frame`."""

    def __init__(self, lock: object, text: str, frame, line: int) -> None:
        self.lock, self.text, self.frame, self.line = lock, text, frame, line


class Locks:
    """Built for one moment: `threads` as `frames.living_threads` gives them."""

    def __init__(self, threads: dict[int, list], files) -> None:
        self._files = files
        self._trees: dict[str, _Uses] = {}
        self._threads = threads
        self._held = {ident: self._holds(ident, places) for ident, places in threads.items()}

    def describe(self, ident: int) -> list[str]:
        """`waits for ...` and `holds ...` of one thread; empty if neither can be known."""
        said = []
        waits = self._waits_for(self._threads[ident])
        if waits is not None:
            said.append(waits)
        for held in self._held[ident]:
            said.append(f"holds {held.text} since line {held.line}")
        return said

    def _waits_for(self, places: list) -> str | None:
        own = next((n for n, (frame, _) in enumerate(places) if self._files.own(frame.f_code)), None)
        if own is None:
            return None
        frame, line = places[own]
        if own == 0:
            return self._lock_wanted(frame, line)
        for inner, _ in places[own - 1 :: -1] if own else ():
            what = _WAITS.get(inner.f_code)
            target = inner.f_locals.get("self")
            if what == "thread" and values.is_a(target, threading.Thread):
                return f"waits for thread {target.__dict__.get('_name')} to end"
            if what is not None:
                return f"waits in {inner.f_code.co_qualname} ({what})"
        called = places[own - 1][0]
        if called.f_code.co_filename == threading.__file__:
            return self._lock_wanted(frame, line) or f"waits in {called.f_code.co_qualname}"
        return None

    def _lock_wanted(self, frame, line: int) -> str | None:
        """The frame itself is in a call of C code: is that the taking of a lock?"""
        if _operation(frame) not in _OPS:
            return None
        for expression in self._uses(frame.f_code.co_filename).wanted_at(frame.f_code, line, _entered(frame)):
            lock = _lock_of(expression, frame)
            if lock is not None and _is_locked(lock):
                return f"waits for {self._named(lock, ast.unparse(expression))}"
        return None

    def _named(self, lock: object, text: str) -> str:
        kind = _LOCKS[type(lock)]
        owner = re.search(r"owner=(\d+)", repr(lock)) if kind == "RLock" else None
        if owner is not None and int(owner[1]):
            return f"{text} ({kind}), held by {frames.thread_name(int(owner[1]))}"
        for ident, all_held in self._held.items():
            for held in all_held:
                if held.lock is lock:
                    where = frames.place(held.frame, held.line, self._files)
                    return f"{text} ({kind}), held by {frames.thread_name(ident)} since {where}"
        return f"{text} ({kind}), held by no frame that can be seen: taken by a call that has returned without release"

    def _holds(self, ident: int, places: list) -> list[Held]:
        found: list[Held] = []
        for frame, line in places:
            if not self._files.own(frame.f_code):
                continue
            uses = self._uses(frame.f_code.co_filename)
            for expression, since in uses.taken_at(frame.f_code, line, _entered(frame)):
                lock = _lock_of(expression, frame)
                if lock is not None and _is_locked(lock) and all(held.lock is not lock for held in found):
                    owner = re.search(r"owner=(\d+)", repr(lock)) if type(lock) is RLock else None
                    if owner is None or int(owner[1]) == ident:
                        found.append(Held(lock, ast.unparse(expression), frame, since))
        return found

    def _uses(self, file: str) -> "_Uses":
        if file not in self._trees:
            self._trees[file] = _Uses("\n".join(self._files.lines(file)))
        return self._trees[file]


class _Uses:
    """Every `with X`, `X.acquire()` and `X.release()` of a file, by the first line of the function they are in."""

    def __init__(self, source: str) -> None:
        self._withs: list[tuple[int | None, ast.With]] = []
        self._calls: list[tuple[int | None, str, ast.expr, int]] = []
        try:
            self._walk(ast.parse(source), None)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return

    def wanted_at(self, code: types.CodeType, line: int, entered: int):
        """Expressions that `line` may be taking; `entered` is how many items of its `with` are taken already."""
        for owner, node in self._withs:
            if owner == _owner(code) and any(item.context_expr.lineno == line for item in node.items):
                yield from (item.context_expr for item in node.items[entered : entered + 1])
        for owner, name, expression, at in self._calls:
            if owner == _owner(code) and name == "acquire" and at == line:
                yield expression

    def taken_at(self, code: types.CodeType, line: int, entered: int):
        """(expression, line) of what was taken before `line` in the same function and not given back."""
        for owner, node in self._withs:
            if owner != _owner(code):
                continue
            inside = node.body[0].lineno <= line <= (node.end_lineno or line) and line > node.lineno
            at_it = any(item.context_expr.lineno == line for item in node.items)
            for item in node.items if inside else node.items[:entered] if at_it else ():
                yield item.context_expr, node.lineno
        taken: dict[str, tuple[ast.expr, int]] = {}
        for owner, name, expression, at in self._calls:
            if owner == _owner(code) and at < line:
                if name == "acquire":
                    taken[ast.unparse(expression)] = (expression, at)
                else:
                    taken.pop(ast.unparse(expression), None)
        yield from taken.values()

    def _walk(self, node: ast.AST, owner: int | None) -> None:
        for child in ast.iter_child_nodes(node):
            inner = owner
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                inner = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
            elif isinstance(child, ast.With):
                self._withs.append((owner, child))
            elif (
                isinstance(child, ast.Call)
                and isinstance(child.func, ast.Attribute)
                and child.func.attr in ("acquire", "release")
            ):
                self._calls.append((owner, child.func.attr, child.func.value, child.lineno))
            self._walk(child, inner)


def _owner(code: types.CodeType) -> int | None:
    return None if code.co_name == "<module>" else code.co_firstlineno


def _lock_of(expression: ast.expr, frame) -> object | None:
    """The Lock or RLock that the expression stands for; a condition stands for its lock."""
    try:
        found = lookup.resolve(expression, frame)
    except lookup.NotStored:
        return None
    if type(found) is threading.Condition:
        found = vars(found).get("_lock")
    return found if type(found) in _LOCKS else None


def _is_locked(lock: object) -> bool:
    return repr(lock).startswith("<locked")


def _operation(frame) -> str:
    code = frame.f_code.co_code
    return dis.opname[code[frame.f_lasti]] if 0 <= frame.f_lasti < len(code) else ""


def _entered(frame) -> int:
    """How many items of the `with` that the frame is at have been entered before this one."""
    if _operation(frame) != "BEFORE_WITH":
        return 0
    same = [
        found.offset
        for found in dis.get_instructions(frame.f_code)
        if found.opname == "BEFORE_WITH" and found.positions and found.positions.lineno == frame.f_lineno
    ]
    return same.index(frame.f_lasti) if frame.f_lasti in same else 0
