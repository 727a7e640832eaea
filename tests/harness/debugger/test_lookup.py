import collections
import types

import pytest

from trajlog.harness.debugger.lookup import NotStored, value_at


class Order:
    kind = "order"

    def __init__(self):
        self.items = [{"price": 3}, {"price": 5}]
        self.notes = collections.OrderedDict(a=1)
        self.index = 1

    @property
    def total(self):
        raise AssertionError("a property was called")

    def __getattr__(self, name):
        raise AssertionError("an attribute was made up")

    def __getitem__(self, index):
        raise AssertionError("the program's own [] was used")


LIMIT = 7
FRAME = types.SimpleNamespace(f_locals={"order": Order(), "n": 1, "word": "abc"}, f_globals={"LIMIT": LIMIT})


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("n", 1),
        ("LIMIT", 7),
        ("len", len),
        (" order.items[1]['price'] ", 5),
        ("order.items[-1]", {"price": 5}),
        ("order.items[:1]", [{"price": 3}]),
        ("order.items[n]['price']", 5),
        ("order.items[order.index]", {"price": 5}),
        ("order.notes['a']", 1),
        ("order.kind", "order"),
        ("word[0]", "a"),
    ],
)
def test_paths_lead_to_what_is_stored(path, value):
    assert value_at(path, FRAME) == value


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("order.total", "order.total is a property; run_expression evaluates it."),
        ("order.nothing", "Order stores no 'nothing'. It stores items, notes, index."),
        ("order[0]", "a Order runs its own code for []; use run_expression."),
        ("order.items[9]", "IndexError: list index out of range"),
        ("order.notes['z']", "KeyError: 'z'"),
        ("missing", "there is no variable 'missing' here."),
        ("f(order)", "is not a name or a path; run_expression evaluates expressions."),
        ("n + 1", "is not a name or a path"),
        ("n =", "is not a name or a path like order.items[0]."),
        ("order.items[[]]", "TypeError"),
    ],
)
def test_what_would_run_code_or_is_not_there_is_refused_with_the_next_step(path, says):
    with pytest.raises(NotStored) as error:
        value_at(path, FRAME)
    assert says in str(error.value)


def test_a_metaclass_runs_no_code():
    class Loud(type):
        def __getattribute__(cls, name):
            raise AssertionError("the metaclass was asked")

    class Quiet(metaclass=Loud):
        kind = "quiet"

    frame = types.SimpleNamespace(f_locals={"one": Quiet(), "cls": Quiet}, f_globals={})
    assert value_at("one.kind", frame) == "quiet"
    assert value_at("cls.kind", frame) == "quiet"
    with pytest.raises(NotStored, match="stores no 'nothing'"):
        value_at("one.nothing", frame)
