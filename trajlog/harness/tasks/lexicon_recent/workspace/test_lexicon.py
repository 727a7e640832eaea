import pytest
from lexicon import Lexicon, Medium, UnknownWord
from lexicon.stems import stem


@pytest.fixture
def medium():
    return Medium.open("words.json")


def test_stems():
    words = ["walked", "Cities", "mice", "stopping", "glasses", "was", "sing"]
    assert [stem(word) for word in words] == ["walk", "city", "mouse", "stop", "glass", "be", "sing"]


def test_forms_share_an_entry(medium):
    lexicon = Lexicon(medium)
    assert lexicon.gloss("Mice ran and mouse runs") == {
        "Mice": "a small animal", "ran": "to go fast", "mouse": "a small animal", "runs": "to go fast"
    }
    assert (medium.reads, lexicon.recent.order()) == (["mouse", "run", "and"], ["run", "mouse"])


def test_least_recently_used_word_goes(medium):
    lexicon = Lexicon(medium, limit=2)
    for word in ("walk", "run", "walks", "city", "walking", "run"):
        lexicon.meaning(word)
    assert medium.reads == ["walk", "run", "city", "run"]


def test_corrected_word_stays(medium):
    lexicon = Lexicon(medium, limit=3)
    lexicon.meaning("walk")
    lexicon.correct("walks", "to stroll")
    for word in ("run", "city", "walked"):
        lexicon.meaning(word)
    assert lexicon.meaning("walk") == "to stroll"
    assert medium.reads == ["walk", "run", "city"]


def test_unknown_words(medium):
    with pytest.raises(UnknownWord, match="dance"):
        Lexicon(medium).meaning("dance")
    with pytest.raises(ValueError, match="not a word: 'r2d2'"):
        Lexicon(medium).meaning("r2d2")
