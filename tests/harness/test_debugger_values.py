import collections
import dataclasses
import enum
import json
import threading
from pathlib import Path

import pytest

from trajlog.harness.debugger.values import show, show_locals


class Noisy:
    def __init__(self):
        self.inner = 1

    def __repr__(self):
        raise AssertionError("the program's own repr was called")

    @property
    def lazy(self):
        raise AssertionError("a property was called")

    def __getattr__(self, name):
        raise AssertionError("an attribute was made up")


class Slots:
    __slots__ = ("a", "b")

    def __init__(self):
        self.a = 1


@dataclasses.dataclass
class Point:
    x: int
    y: int


class Colour(enum.Enum):
    RED = 1


class Basket(list):
    def __iter__(self):
        raise AssertionError("the program's own iteration was used")


Pair = collections.namedtuple("Pair", "left right")

# Classes of a file under a library folder are shown by repr; these are the program's.
Noisy.__module__ = Slots.__module__ = Point.__module__ = "__main__"
Colour.__module__ = Basket.__module__ = Pair.__module__ = "__main__"


def itself():
    loop = [1]
    loop.append(loop)
    return loop


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "None"),
        (True, "True"),
        (12, "12"),
        (10**1000, "int of 3322 bits"),
        ("a\nb", r"'a\nb'"),
        ("x" * 300, f"'{'x' * 200}'... (length 300)"),
        ([1, "a"], "[1, 'a']"),
        (list(range(10**6)), "[0, 1, 2, 3, 4, 5, 6, 7, ... 999992 more]"),
        ((1,), "(1,)"),
        (set(), "set()"),
        ({"a": [1]}, "{'a': [1]}"),
        (collections.deque([1]), "deque([1])"),
        (collections.Counter("aab"), "Counter({'a': 2, 'b': 1})"),
        (frozenset([1]), "frozenset({1})"),
        ([[[[1]]]], "[[[list(...)]]]"),
        (itself(), "[1, ...]"),
        (Noisy(), "Noisy(inner=1)"),
        (Slots(), "Slots(a=1)"),
        (Point(1, 2), "Point(x=1, y=2)"),
        (Colour.RED, "Colour.RED"),
        (Basket([1]), "Basket([1])"),
        (Pair(1, 2), "Pair((1, 2))"),
        (ValueError("no", 3), "ValueError('no', 3)"),
        (json, "module json"),
        (Point, "class Point"),
        (itself, "function itself()"),
        (Path("a/b"), "PosixPath('a/b')"),
        (threading.Lock(), "<unlocked _thread.lock object>"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else value[:20],
)
def test_values_are_short_and_run_no_code_of_the_program(value, shown):
    assert show(value) == shown


def test_a_repr_of_a_library_type_that_raises_is_said():
    broken = threading.Thread()
    del broken._name
    assert "its repr raised" in show(broken)


def test_text_is_bounded():
    assert len(show([["x" * 300] * 20] * 20)) < 430


def test_locals_leave_out_what_is_no_data():
    variables = {
        "count": 1,
        "__builtins__": {},
        "__name__": "m",
        "@py_assert0": 2,
        ".0": iter([]),
        "json": json,
        "Point": Point,
        "itself": itself,
    }
    assert show_locals(variables) == ["count = 1", "(functions, classes, modules: json, Point, itself)"]
    assert show_locals({}) == ["no variables"]


def test_many_locals_are_counted():
    lines = show_locals({f"v{n}": n for n in range(50)})
    assert len(lines) == 41
    assert lines[-1] == "(10 more variables)"
