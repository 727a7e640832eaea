from dataclasses import dataclass
from datetime import date, datetime, timedelta

import pytest
from agenda.codec import CodecError, Registry, registry
from agenda.entries import Entry, Meeting


class Base:
    def __init__(self, text=""):
        self.text = text


class Middle(Base):
    pass


class Leaf(Middle):
    pass


def form(kind):
    return lambda value: value.text, kind


def tags(order):
    own = Registry()
    for kind in order:
        own.register(kind.__name__.lower(), kind, *form(kind))
    return [own.pack(kind("x"))["$"] for kind in (Base, Middle, Leaf)]


def test_order_of_registration_does_not_matter():
    assert [tags((Base, Middle, Leaf)), tags((Leaf, Middle, Base)), tags((Middle, Leaf, Base)), tags((Leaf, Base))] == [
        ["base", "middle", "leaf"], ["base", "middle", "leaf"], ["base", "middle", "leaf"], ["base", "base", "leaf"]
    ]


def test_meetings_and_entries_keep_their_kind():
    entries = [Entry("a", date(2024, 1, 2)), Meeting("b", datetime(2024, 1, 2, 8)), Entry("c", datetime(2024, 1, 3, 9))]
    loaded = registry.loads(registry.dumps(entries))
    assert [(type(e).__name__, e.title, e.start.isoformat()) for e in loaded] == [
        ("Entry", "a", "2024-01-02"), ("Meeting", "b", "2024-01-02T08:00:00"), ("Entry", "c", "2024-01-03T09:00:00")
    ]


def test_nearest_base_class():
    @dataclass
    class Call(Meeting):
        pass

    packed = registry.pack(Call("x", datetime(2024, 1, 1, 7, 5), timedelta(0)))
    assert (packed["$"], packed["v"]["start"]) == ("meeting", {"$": "moment", "v": "2024-01-01T07:05:00"})


def test_second_base_class():
    class Mark:
        text = "mark"

    class Odd(Mark, Leaf):
        pass

    own = Registry()
    own.register("base", Base, *form(Base))
    assert own.pack([Odd("o")]) == [{"$": "base", "v": "o"}]
    own.register("leaf", Leaf, *form(Leaf))
    own.register("mark", Mark, lambda value: "mark " + value.text, lambda text: Mark())
    assert own.pack([Odd("o"), Leaf("l")]) == [{"$": "mark", "v": "mark o"}, {"$": "leaf", "v": "l"}]


def test_refused():
    own = Registry()
    own.register("leaf", Leaf, *form(Leaf))
    messages = []
    for action in (lambda: own.pack(Base("x")), lambda: own.register("leaf", Base, *form(Base)),
                   lambda: own.unpack({"$": "nope", "v": 1})):
        with pytest.raises(CodecError) as caught:
            action()
        messages.append(str(caught.value))
    assert messages == ["no form for a Base", "tag 'leaf' is taken", "unknown tag 'nope'"]
