import pytest
from align import Feed, align

SHOTS = [("street", 0, 99), ("kitchen", 100, 249), ("car", 250, 400)]


def test_every_shot_has_its_texts():
    found = align(SHOTS, Feed(["10|40|Who's there?", "110|150|Me.", "160|190|Come in.", "260|300|Drive!"]))
    assert found.lines() == ["street: Who's there?", "kitchen: Me. / Come in.", "car: Drive!"]


def test_untranslated_lines():
    found = align(SHOTS, Feed(["10|40|Who's there?", "-|-|", "110|150|Me.", "-|-|(sign)"]))
    assert (found.lines(), found.untimed) == (["street: Who's there?", "kitchen: Me."], 2)


def test_cues_after_the_film():
    assert align(SHOTS, Feed(["500|510|The end"])).outside == ["The end"]


def test_bad_lines():
    with pytest.raises(ValueError, match="no cue: 'hello'"):
        align(SHOTS, Feed(["hello\n"]))
