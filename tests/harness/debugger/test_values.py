import array
import collections
import dataclasses
import datetime
import enum
import functools
import json
import threading
from pathlib import Path

import pytest

from trajlog.harness.debugger.values import LONG, show, show_exception, show_locals


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


class Meta(type):
    def __eq__(cls, other):
        raise AssertionError("a metaclass was asked")

    def __hash__(cls):
        raise AssertionError("a metaclass was asked")


class Hostile(metaclass=Meta):
    def __init__(self):
        object.__setattr__(self, "inner", 1)

    @property
    def __class__(self):
        raise AssertionError("the class was asked for")

    def __getattribute__(self, name):
        raise AssertionError("an attribute was read through the class")

    def __len__(self):
        raise AssertionError("the length was asked for")

    def __hash__(self):
        raise AssertionError("a hash was asked for")


class HiddenDict:
    @property
    def __dict__(self):
        raise AssertionError("a made up __dict__ was read")


class Tag(str):
    def __str__(self):
        raise AssertionError("__str__ was called")

    __repr__ = __getitem__ = __str__


class Level(enum.IntEnum):
    HIGH = 3


class Failure(Exception):
    def __str__(self):
        raise AssertionError("__str__ was called")


Hostile.__module__ = HiddenDict.__module__ = Tag.__module__ = "__main__"


def defaults(a, b=Noisy(), *rest, c, **others):  # noqa: B008
    yield a


def test_values_that_would_run_code_of_the_program_do_not():
    # A list, not parameters: pytest itself looks at parameters by their class.
    for value, shown in [
        (Hostile(), "Hostile(inner=1)"),
        (HiddenDict(), "HiddenDict object"),
        (Tag("abc"), "Tag('abc')"),
        (Level.HIGH, "Level.HIGH"),
        (Failure("why"), "Failure('why')"),
        (defaults, "function defaults(a, b, *rest, c, **others)"),
        (Noisy().__init__, "function Noisy.__init__(self)"),
        (defaults(1, c=2), "<generator object defaults>"),
        ({1: Noisy()}.values(), "dict_values([Noisy(inner=1)])"),
        (dict.fromkeys(range(10**5)).keys(), "dict_keys([0, 1, 2, 3, 4, 5, 6, 7, ... 99992 more])"),
        (
            functools.partial(len, Noisy()),
            "partial(func=<built-in function len>, args=(Noisy(...),), keywords={})",
        ),
        (collections.UserDict(a=Noisy()), "UserDict(data={'a': Noisy(...)})"),
        (threading.Thread(name="T"), "Thread 'T'"),
        (threading.Event(), "Event(_cond=Condition(_lock=lock(...), _waiters=deque(...)), _flag=False)"),
        (datetime.date(2024, 2, 29), "datetime.date(2024, 2, 29)"),
        (range(3), "range(0, 3)"),
        (len, "<built-in function len>"),
        (1j, "1j"),
    ]:
        assert show(value) == shown, shown


def test_exceptions_are_told_by_their_arguments():
    assert show_exception(Failure("why")) == "Failure: why"
    assert show_exception(KeyError("k")) == "KeyError: 'k'"
    assert show_exception(OSError(2, "gone")) == "FileNotFoundError: 2, 'gone'"
    assert show_exception(ValueError()) == "ValueError"


def test_text_is_bounded():
    assert len(show([["x" * 300] * 20] * 20)) < 430
    assert len(show([["x" * 3000] * 200] * 200, LONG)) < 4030
    assert len(show(array.array("i", range(10**6)))) < 430


def test_a_long_look_shows_more_than_a_brief_one():
    assert show(list(range(40)), LONG) == repr(list(range(40)))
    assert show(list(range(40))).endswith("7, ... 32 more]")


def test_a_value_that_changes_while_it_is_shown_is_said():
    stop = threading.Event()
    changing: dict[int, int] = {}

    def change():
        while not stop.is_set():
            changing.clear()
            changing.update({n: n for n in range(6)})

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(2000):
            assert show(changing).startswith(("{", "dict (changing"))
    finally:
        stop.set()
        thread.join()


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
