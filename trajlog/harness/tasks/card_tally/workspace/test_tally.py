import pytest
from rules import Rules
from tally import Tally, TallyError


def test_single_player():
    tally = Tally(Rules(handicap=[3]))
    tally.enter("ada", 10)
    tally.enter("ada", 4)
    assert (tally.rounds("ada"), tally.standing()) == ([3, 10, 4], [("ada", 27)])


def test_two_players():
    tally = Tally(Rules())
    tally.enter("ada", 7)
    tally.enter("ben", 12)
    assert tally.standing() == [("ben", 12), ("ada", 7)]


def test_take_back():
    tally = Tally(Rules(handicap=[2]))
    tally.enter("ada", 8)
    assert tally.take_back("ada") == 8
    with pytest.raises(TallyError, match="ada has no round to take back"):
        tally.take_back("ada")


def test_too_many_points():
    with pytest.raises(TallyError, match="31 points in one round"):
        Tally(Rules()).enter("ada", 31)
