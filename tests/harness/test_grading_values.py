"""Plain values cross the sandbox's border exactly; everything else equals nothing."""

import collections
import decimal
import enum
import json
import math
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajlog.harness.plain_values import MAX_NODES, encode, is_plain, matches, text

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=2**50, max_value=2**70)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=()), max_size=5)
    | st.binary(max_size=5)
)
KEYS = SCALARS | st.tuples(SCALARS, SCALARS) | st.frozensets(SCALARS, max_size=3)
VALUES = st.recursive(
    SCALARS | st.sets(KEYS, max_size=3) | st.frozensets(KEYS, max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.tuples(inner, inner) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)


def told(value: object) -> Any:
    return json.loads(json.dumps(encode(value)))


@given(VALUES)
def test_every_plain_value_matches_itself(value: object) -> None:
    assert is_plain(value)
    assert matches(told(value), value)


@given(VALUES, VALUES)
def test_values_match_as_python_compares_them(one: object, other: object) -> None:
    assert matches(told(one), other) == (one == other)


@pytest.mark.parametrize(
    ("saw", "expected"),
    [
        (True, 1),
        (1.0, 1),
        (-0.0, 0),
        (2**80, 2**80),
        (math.inf, math.inf),
        (bytearray(b"ab"), b"ab"),
        (decimal.Decimal("1.50"), 1.5),
        (frozenset({1}), {1}),
        ({"a": 1}.keys(), {"a"}),
        ({"a": 1}.items(), {("a", 1)}),
        (collections.OrderedDict(b=1, a=2), {"a": 2, "b": 1}),
        (collections.Counter("aab"), {"a": 2, "b": 1}),
        (collections.namedtuple("P", "x y")(1, 2), (1, 2)),
        (enum.IntEnum("E", "A B").B, 2),
        ("\ud800", "\ud800"),
    ],
)
def test_kin_of_plain_values_match_what_they_equal(saw: object, expected: object) -> None:
    assert saw == expected
    assert matches(told(saw), expected)


@pytest.mark.parametrize(
    ("saw", "expected"),
    [
        ([1], (1,)),
        ("1", 1),
        ("ab", b"ab"),
        ({1: 1}, [[1, 1]]),
        (math.nan, math.nan),
        (decimal.Decimal("0.1"), 0.1),
        ({1: 1, 2: 2}, {1: 1}),
        ({1}, {1, 2}),
        ([1, 2], [1]),
        (None, False),
        ({"float": "1.5"}, 1.5),
        ({"tuple": [1]}, (1,)),
    ],
)
def test_unequal_values_do_not_match(saw: object, expected: object) -> None:
    assert not matches(told(saw), expected)


class Lies:
    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "3"

    __str__ = __repr__


class LyingInt(Lies, int):
    def __index__(self) -> int:
        return 3

    __int__ = __index__


class LyingText(Lies, str):
    def encode(self, *args: object) -> bytes:
        return b"3"


class LyingList(Lies, list[int]):
    def __iter__(self) -> Any:
        return iter([3])

    def __len__(self) -> int:
        return 1


class LyingDict(Lies, dict[str, int]):
    def items(self) -> Any:
        return [("a", 3)]


class Masked(Lies):
    __class__ = property(lambda self: int)  # type: ignore[assignment]


def test_objects_are_told_as_what_they_are_and_not_as_what_they_say() -> None:
    assert encode(LyingInt(2)) == 2
    assert encode(LyingText("no")) == "no"
    assert encode(LyingList([1, 2])) == [1, 2]
    assert encode(LyingDict(b=1)) == {"dict": [["b", 1]]}
    assert encode(Masked()) == {"other": "Masked"}
    assert encode([Lies()]) == [{"other": "Lies"}]
    assert not matches(encode(Lies()), 3)


def test_an_object_without_a_plain_value_equals_nothing() -> None:
    for expected in (None, True, 0, "", "Lies", [], {}, set(), {"other": "Lies"}):
        assert not matches(told(Lies()), expected)


def test_too_deep_and_too_big_values_are_told_as_such() -> None:
    loop: list[Any] = []
    loop.append(loop)
    assert encode(loop) == {"other": "list, too big"}
    assert encode([0] * MAX_NODES) == {"other": "list, too big"}
    assert encode("x" * 10**6) == {"other": "str, too big"}
    assert encode(1 << 10**7) == {"other": "int, too big"}
    assert encode({"a": "x" * 10**6}) == {"other": "dict, too big"}


STRANGE = [
    {"int": "zz"},
    {"int": 5},
    {"float": "much"},
    {"bytes": "0"},
    {"str": "ff"},
    {"decimal": "x"},
    {"dict": [1]},
    {"dict": [[1]]},
    {"dict": {"a": 1}},
    {"tuple": 3},
    {"set": {}},
    {"int": "1", "float": "1"},
    {"nonsense": 1},
    {},
    {"int": "f" * 10**6},
]


@pytest.mark.parametrize("found", STRANGE, ids=range(len(STRANGE)))
def test_what_nobody_encoded_matches_nothing_and_can_be_shown(found: object) -> None:
    for expected in (None, 1, 1.5, "a", b"a", [1], (1,), {1: 1}, {1}, {"a": 1}):
        assert not matches(found, expected)
    assert len(text(found)) < 300


@pytest.mark.parametrize(
    "value", [None, [1, "a", b"b"], (1,), (), {"a": (1, 2.5)}, {1, 2}, set(), -7, 1e300, "ä", {"x": [None, True]}]
)
def test_values_are_shown_as_python_writes_them(value: object) -> None:
    assert text(told(value)) == repr(value)


def test_long_values_are_cut() -> None:
    assert text(told(list(range(1000)))).endswith("...")
    assert len(text(told("x" * 1000))) < 210
    assert len(text(told([["y" * 1000] * 50] * 50))) < 210
    assert text(told(2**70)) == hex(2**70)
    assert text(told(10 ** (sys.get_int_max_str_digits() + 5)))[:2] == "0x"
    assert text(told(Lies())) == "<Lies>"


def test_deeply_nested_values_are_shown_and_compared_without_recursing_into_them() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert len(text(deep)) < 210
    assert not matches(deep, [[1]])
    assert not matches({"dict": [[deep, deep]]}, {"a": 1})
