import pytest
from studio.deck import Deck, DeckError, Tape
from studio.effects import delay, gain
from studio.mixer import Track
from studio.session import Master, Session


@pytest.fixture
def deck():
    return Deck()


@pytest.fixture
def session(deck):
    drums = Track(deck, Tape("drums", [1, 2, 3, 4, 5, 6]), gain(10))
    voice = Track(deck, Tape("voice", [1, 1, 1, 1]), delay(2))
    return Session([drums, voice])


def test_whole_mix(deck, session):
    master = Master()
    assert session.bounce(master) == 8
    assert master.samples == [10, 20, 31, 41, 51, 61, 0, 0]
    assert deck.history == ["load drums", "load voice", "unload voice", "unload drums"]


def test_peak_and_second_mix(session):
    master = Master()
    peaks = [session.peak(), session.peak()]
    session.bounce(master)
    assert (peaks, len(master.samples)) == ([61, 61], 8)


def test_excerpt_and_then_the_whole(deck, session):
    excerpt, whole = Master(), Master()
    counts = [session.bounce(excerpt, limit=3), session.bounce(whole)]
    assert counts == [3, 8]
    assert (excerpt.samples, deck.loaded()) == ([10, 20, 31], [])


def test_tape_is_loaded_once(deck):
    tape = Tape("bass", [5])
    deck.load(tape)
    with pytest.raises(DeckError, match="tape bass is loaded"):
        Session([Track(deck, tape)]).bounce(Master())
    assert deck.history == ["load bass"]
