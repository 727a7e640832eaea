import itertools

import pytest
from dice import DiceError, Table, explain, parse


def make_table(*faces):
    faces = itertools.cycle(faces)
    return Table(lambda sides: (next(faces) - 1) % sides + 1)


def test_total():
    assert make_table(4).roll("2d6+3*2-1")[0] == 13
    assert make_table(1, 5, 3).roll("3D6KH2") == (8, ["3D6KH2: 1 5 3 = 8"])


def test_exploding():
    assert make_table(6, 2, 3).roll("2d6!+1") == (12, ["2d6!: 6 2 3 = 11"])


def test_caret_without_blanks():
    assert explain("2d6+3x") == "2d6+3x\n     ^ unexpected 'x'"
    assert explain("d%kl") == ""


def test_blanks_in_front():
    assert explain("  2d6+3x") == "  2d6+3x\n       ^ unexpected 'x'"
    assert make_table(2).roll(" 3d6") == (6, ["3d6: 2 2 2 = 6"])


@pytest.mark.parametrize("text", ["", "d", "2d1", "0d6", "(1", "4d6kh5", "d6 d6", "1+"])
def test_mistakes(text):
    with pytest.raises(DiceError):
        parse(text)
