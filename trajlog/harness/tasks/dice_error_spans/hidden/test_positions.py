import itertools

import pytest
from dice import DiceError, Table, explain, parse


def position(text):
    with pytest.raises(DiceError) as caught:
        parse(text)
    return caught.value.position


def test_carets():
    assert [explain(text) for text in ("2d6 + 3x", "  2d6  +  ", "4d6 kh  9 + 1")] == [
        "2d6 + 3x\n       ^ unexpected 'x'", "  2d6  +  \n          ^ roll is not complete",
        "4d6 kh  9 + 1\n    ^ cannot keep 9 of 4",
    ]


def test_positions():
    texts = ("1 + 2d 1", "( 1 + 2", " 3 d", "d6 + 200 d 6", "1 +\t+ 2", "2d6 + 3 )", "1 \u00d7 2")
    assert [position(text) for text in texts] == [7, 7, 4, 5, 4, 8, 2]


def test_blanks_within_numbers_and_words():
    assert [position(text) for text in ("1 0d6", "2d6 0", "4d6 k h", "4d6k l2", "1 + 2 3")] == [2, 4, 4, 3, 6]


def test_labels():
    faces = itertools.cycle([3, 1, 2])
    total, lines = Table(lambda sides: next(faces)).roll(" 2D6  + 3 d 8 KL 2 *2 - d% + 1")
    assert (total, lines) == (9, ["2D6: 3 1 = 4", "3 d 8 KL 2: 2 3 1 = 3", "d%: 2 = 2"])


def test_label_ends_behind_the_last_part():
    table = Table(lambda sides: sides)
    assert table.roll("  ( d6 ! + d4   ) * 2 ") == (32, ["d6 !: 6 6 = 12", "d4: 4 = 4"])
