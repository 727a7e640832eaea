"""Checks whose expected value stays outside the sandbox.

`assert EXPRESSION == LITERAL` in a test module becomes, before the module enters the grading sandbox,
`__trajlog_observe__(NUMBER, (EXPRESSION))`: the sandbox tells what the expression gave, and the literal, which is
nowhere in the sandbox, is compared here. So code that takes over the test process would have to tell values that it
does not know. An assert of any other form stays in the module as it is and is worth what that process is worth.

Everything here is a pure function of texts and of what a report told.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from trajlog.harness import plain_values

OBSERVE = "__trajlog_observe__"
MAX_COMPLAINTS = 10
"""Kept of one test: a report may be full of wrong values."""


class Check(msgspec.Struct, frozen=True):
    """One `assert EXPRESSION == LITERAL`. `function` is `test_a` or `TestB::test_a`, "" outside any function."""

    path: str
    line: int
    function: str
    expected: Any

    @property
    def place(self) -> str:
        return f"{self.path}::{self.function} line {self.line}" if self.function else f"{self.path} line {self.line}"

    @property
    def is_telling(self) -> bool:
        return is_telling(self.expected)


class Observation(msgspec.Struct, frozen=True):
    """What check number `check` saw in the test `test` (None: while files were imported); see plain_values.py."""

    check: int
    test: str | None
    value: Any


class LiftedTests(msgspec.Struct, frozen=True):
    """Test modules without the literals, and the checks, by their number."""

    files: dict[str, bytes]
    checks: tuple[Check, ...]


def lift_checks(files: Mapping[str, bytes]) -> LiftedTests:
    """Take the literals out of the test modules `files`. Lines keep their numbers; what is no Python is left alone."""
    lifted: dict[str, bytes] = {}
    checks: list[Check] = []
    for path, content in files.items():
        lifted[path] = _lift(path, content, checks)
    return LiftedTests(files=lifted, checks=tuple(checks))


def is_telling(value: object) -> bool:
    """Whether `value` is hard to guess: not None, a bool, -1, 0, 1, 2, under two characters, or made of only such.

    >>> [is_telling(value) for value in (True, 2, "x", [], [0], [0, 0], 12, "no", {"a": 0})]
    [False, False, False, False, False, True, True, True, False]
    """
    if value is None or isinstance(value, bool):
        return False
    if isinstance(value, int | float):
        return value not in (-1, 0, 1, 2)
    if isinstance(value, str | bytes):
        return len(value) > 1
    if isinstance(value, list | tuple | set | frozenset | dict):
        items = list(value.values() if isinstance(value, dict) else value)
        return len(items) > 1 or any(map(is_telling, items))
    return False


def wrong(checks: Sequence[Check], told: Iterable[Observation]) -> dict[str | None, list[str]]:
    """Node id -> what its checks saw and should have seen. Under None: checks that ran while a file was imported."""
    found: dict[str | None, list[str]] = {}
    for one in told:
        check = checks[one.check] if 0 <= one.check < len(checks) else None
        if check is not None and plain_values.matches(one.value, check.expected):
            continue
        complaints = found.setdefault(one.test, [])
        if len(complaints) == MAX_COMPLAINTS:
            continue
        if check is None:
            complaints.append(f"told a value for check {one.check}, which there is not")
        else:
            saw, expected = plain_values.text(one.value), _short(repr(check.expected))
            complaints.append(f"{check.place}: got {saw}, expected {expected}")
    return found


def unobserved(checks: Sequence[Check], told: Iterable[Observation], node_ids: Iterable[str]) -> dict[str, list[str]]:
    """Node id -> checks in its function that it never reached."""
    seen = {(one.test, one.check) for one in told}
    missing: dict[str, list[str]] = {}
    for node_id in node_ids:
        for number in checks_of(checks, node_id):
            if (node_id, number) not in seen:
                missing.setdefault(node_id, []).append(f"{checks[number].place}: not reached")
    return missing


def checks_of(checks: Sequence[Check], node_id: str) -> list[int]:
    """Numbers of the checks that stand in the function of `node_id` (`test_a.py::TestB::test_c[1-x]`)."""
    path, _, name = node_id.partition("::")
    function = name.partition("[")[0]
    return [number for number, check in enumerate(checks) if check.path == path and check.function == function != ""]


def _lift(path: str, content: bytes, checks: list[Check]) -> bytes:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        source = content.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
        module = ast.parse(source, path)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return content
    data = source.encode()
    starts = [0]
    for line in data.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    pieces: list[bytes] = []
    done = 0
    for function, node in _asserts(module, ""):
        split = _split(node)
        if split is None:
            continue
        expression, expected = split
        begin, end = _span(node, starts)
        inner_begin, inner_end = _span(expression, starts)
        pieces += [
            data[done:begin],
            f"{OBSERVE}({len(checks)}, (".encode(),
            b"\n" * data.count(b"\n", begin, inner_begin),
            data[inner_begin:inner_end],
            b"\n" * data.count(b"\n", inner_end, end),
            b"))",
        ]
        done = end
        checks.append(Check(path=path, line=node.lineno, function=function, expected=expected))
    return b"".join([*pieces, data[done:]]).decode().encode(encoding)


def _asserts(node: ast.AST, owner: str, *, in_function: bool = False) -> Iterator[tuple[str, ast.Assert]]:
    """Every assert below `node` in the order of the text, with the outermost function that it stands in."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Assert):
            yield owner if in_function else "", child
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not in_function:
            name = f"{owner}::{child.name}" if owner else child.name
            yield from _asserts(child, name, in_function=not isinstance(child, ast.ClassDef))
        else:
            yield from _asserts(child, owner, in_function=in_function)


def _split(node: ast.Assert) -> tuple[ast.expr, Any] | None:
    """(expression, value of the literal) of `assert EXPRESSION == LITERAL`, either way round."""
    test = node.test
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq)):
        return None
    for expression, literal in ((test.left, test.comparators[0]), (test.comparators[0], test.left)):
        try:
            value = ast.literal_eval(literal)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            continue
        if plain_values.is_plain(value):
            return expression, value
    return None


def _span(node: ast.stmt | ast.expr, starts: list[int]) -> tuple[int, int]:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset


def _short(text: str, limit: int = 200) -> str:
    return text if len(text) <= limit else f"{text[:limit]}..."
