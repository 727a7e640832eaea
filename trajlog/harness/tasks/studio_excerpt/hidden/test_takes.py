import pytest
from studio.deck import Deck, Tape
from studio.effects import EffectError, delay, gain, limiter
from studio.mixer import Track, mix
from studio.session import Clipped, Master, Session


def tracks(deck, *effects):
    return [
        Track(deck, Tape("drums", [8, -8] * 5), gain(2)),
        Track(deck, Tape("bass", range(1, 13)), *effects, delay(1)),
    ]


def test_effect_that_refuses():
    deck = Deck()
    session = Session(tracks(deck, limiter(7)))
    with pytest.raises(EffectError, match="peak of 8") as first:
        session.bounce(Master())
    with pytest.raises(EffectError, match="peak of 8") as second:
        session.peak()
    errors = [str(first.value), str(second.value)]
    assert (errors, session.meters()) == (["peak of 8", "peak of 8"], {"drums": 0, "bass": 0})
    assert deck.history[2:4] == ["unload bass", "unload drums"]


def test_master_that_clips():
    deck = Deck()
    session = Session(tracks(deck), block=2)
    master = Master(ceiling=20)
    with pytest.raises(Clipped) as caught:
        session.bounce(master)
    loaded, meters = deck.loaded(), session.meters()
    again = Master()
    count = session.bounce(again, limit=5)
    assert (str(caught.value), loaded, meters) == ("sample 6 is 22", [], {"drums": 0, "bass": 0})
    assert (count, master.samples, again.samples) == (5, [16, -15, 18, -13, 20, -11], [16, -15, 18, -13, 20])


def test_many_excerpts():
    deck = Deck(slots=2)
    session = Session(tracks(deck), block=3)
    sums = []
    for limit in (1, 3, 4, 9, 13, 50):
        master = Master()
        session.bounce(master, limit)
        sums.append((len(master.samples), sum(master.samples), len(deck.loaded())))
    assert [row[::2] for row in sums] == [(1, 0), (3, 0), (4, 0), (9, 0), (13, 0), (15, 0)]
    assert [row[1] for row in sums[:3]] == [16, 19, 6]


def test_streams_are_closed_from_the_last_effect_on():
    deck, closed = Deck(), []

    def noted(name):
        def effect(stream):
            try:
                yield from stream
            finally:
                closed.append(name)

        return effect

    parts = [
        Track(deck, Tape("a", [1] * 9), noted("a1"), noted("a2")),
        Track(deck, Tape("b", [2] * 9), noted("b1")),
    ]
    blocks = mix(parts, 3)
    first = next(blocks)
    blocks.close()
    assert (first, sorted(closed), deck.loaded()) == ([3, 3, 3], ["a1", "a2", "b1"], [])
    assert deck.history == ["load a", "load b", "unload b", "unload a"]
