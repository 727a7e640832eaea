"""Literals leave test modules, line numbers stay, and what checks saw is judged outside."""

import ast

import pytest

from trajlog.harness.checks import (
    MAX_COMPLAINTS,
    Check,
    Observation,
    checks_of,
    is_telling,
    lift_checks,
    unobserved,
    wrong,
)

MODULE = '''\
"""A module."""
from __future__ import annotations

import pytest


def helper(found):
    assert found == [7, 8], "a helper's message"


def test_a():
    value = [1, (2, 3)]
    assert value == [  # why
        1,
        (2, 3),
    ]
    assert (
        len(value)
        + 10
        == 12
    ), f"not {value}"
    assert {"k": "ä"} == dict(k="ä"); assert 3 == len(value) + 1


class TestB:
    @pytest.mark.parametrize("n", [1, 2])
    def test_c(self, n):
        def inner():
            assert (m := n * 0) == 0
            return m

        assert inner() == 0 and n
        assert n in (1, 2)
        assert 1 == n == 1 or n == 2
        with pytest.raises(AssertionError):
            assert n == n + 1


async def test_d():
    assert [x async for x in numbers()] == [1.5, -2, b"x", None, {3}]
'''


def lifted(source: str) -> tuple[str, tuple[Check, ...]]:
    found = lift_checks({"test_m.py": source.encode()})
    return found.files["test_m.py"].decode(), found.checks


def test_literals_leave_the_module_and_lines_stay() -> None:
    text, checks = lifted(MODULE)
    assert [(check.line, check.function, check.expected) for check in checks] == [
        (8, "helper", [7, 8]),
        (13, "test_a", [1, (2, 3)]),
        (17, "test_a", 12),
        (22, "test_a", {"k": "ä"}),
        (22, "test_a", 3),
        (29, "TestB::test_c", 0),
        (40, "test_d", [1.5, -2, b"x", None, {3}]),
    ]
    assert len(text.splitlines()) == len(MODULE.splitlines())
    assert text.splitlines()[7] == "    __trajlog_observe__(0, (found))"
    assert text.splitlines()[28] == "            __trajlog_observe__(5, (m := n * 0))"
    calls = [node.lineno for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    originals = [node.lineno for node in ast.walk(ast.parse(MODULE)) if isinstance(node, ast.Call)]
    assert set(originals) - set(calls) == set()


def test_other_asserts_stay() -> None:
    text, _ = lifted(MODULE)
    kept = [ast.unparse(node.test) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Assert)]
    assert kept == ["inner() == 0 and n", "n in (1, 2)", "1 == n == 1 or n == 2", "n == n + 1"]


def test_a_rewritten_module_does_what_the_original_did() -> None:
    source = (
        "def test_a():\n    seen = []\n    assert [seen.append(i) or i for i in range(2)] == [0, 1]\n    return seen\n"
    )
    text, checks = lifted(source)
    told: list[tuple[int, object]] = []
    names = {"__trajlog_observe__": lambda number, value: told.append((number, value))}
    exec(text, names)
    assert names["test_a"]() == [0, 1]
    assert told == [(0, [0, 1])]
    assert checks[0].expected == [0, 1]


@pytest.mark.parametrize("source", ["def test_a(:\n    assert 1 == 1\n", "assert x == 1\0", "# coding: nope\n"])
def test_what_is_no_python_is_left_alone(source: str) -> None:
    assert lift_checks({"test_m.py": source.encode()}).files == {"test_m.py": source.encode()}


def test_encodings_and_line_ends_are_kept_apart_from_the_text() -> None:
    latin = "# coding: latin-1\r\ndef test_a():\r\n    assert name() == 'é' \r\n    assert 'ü' in name()\r\n".encode(
        "latin-1"
    )
    found = lift_checks({"test_m.py": latin})
    assert found.checks[0].expected == "é"
    assert "assert 'ü' in name()".encode("latin-1") in found.files["test_m.py"]


def test_numbers_go_on_from_file_to_file() -> None:
    one = b"def test_a():\n    assert f() == 5\n"
    found = lift_checks({"test_m.py": one, "test_n.py": one})
    assert b"__trajlog_observe__(1, (f()))" in found.files["test_n.py"]
    assert checks_of(found.checks, "test_n.py::test_a[x::y-1]") == [1]
    assert checks_of(found.checks, "test_n.py::test_b") == []


CHECKS = (
    Check(path="test_m.py", line=3, function="test_a", expected=[1, 3]),
    Check(path="test_m.py", line=4, function="test_a", expected="x"),
    Check(path="test_m.py", line=9, function="", expected=2),
)


def test_a_wrong_value_is_told_with_its_place() -> None:
    told = [
        Observation(check=0, test="test_m.py::test_a", value=[1, 2]),
        Observation(check=1, test="test_m.py::test_a", value="x"),
        Observation(check=2, test=None, value=3),
    ]
    assert wrong(CHECKS, told) == {
        "test_m.py::test_a": ["test_m.py::test_a line 3: got [1, 2], expected [1, 3]"],
        None: ["test_m.py line 9: got 3, expected 2"],
    }


def test_one_wrong_value_among_right_ones_is_wrong() -> None:
    told = [Observation(check=1, test="t", value=value) for value in ("x", "y", "x")]
    assert wrong(CHECKS, told) == {"t": ["test_m.py::test_a line 4: got 'y', expected 'x'"]}


def test_complaints_are_bounded() -> None:
    told = [Observation(check=1, test="t", value=str(number)) for number in range(10_000)]
    assert [len(lines) for lines in wrong(CHECKS, told).values()] == [MAX_COMPLAINTS]


@pytest.mark.parametrize("number", [-1, 3, 10**30])
def test_a_check_that_there_is_not_is_wrong(number: int) -> None:
    assert list(wrong(CHECKS, [Observation(check=number, test="t", value=1)])) == ["t"]


def test_every_check_of_a_test_must_be_reached_in_every_case_of_it() -> None:
    told = [
        Observation(check=0, test="test_m.py::test_a[1]", value=[1, 3]),
        Observation(check=1, test="test_m.py::test_a[1]", value="x"),
        Observation(check=1, test="test_m.py::test_a[2]", value="x"),
    ]
    ids = ["test_m.py::test_a[1]", "test_m.py::test_a[2]", "test_m.py::test_other"]
    assert unobserved(CHECKS, told, ids) == {"test_m.py::test_a[2]": ["test_m.py::test_a line 3: not reached"]}


def test_telling_values_are_those_hard_to_guess() -> None:
    telling = [12, 0.5, "no", b"ab", [0, 0], {"a": 1, "b": 0}, [["xy"]], (3,), {5}]
    assert [value for value in telling if not is_telling(value)] == []
    plain = [None, True, 0, 1, 2, -1, 1.0, "", "x", b"", [], (), {}, set(), [1], {"long key": 0}, [[0]]]
    assert [value for value in plain if is_telling(value)] == []
