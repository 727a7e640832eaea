from rules import Rules
from tally import Tally


def test_rounds_are_per_player():
    tally = Tally(Rules(handicap=[1, 2]))
    for player, points in (("ada", 7), ("ben", 20), ("ada", 15)):
        tally.enter(player, points)
    assert (tally.rounds("ada"), tally.rounds("ben"), tally.standing()) == (
        [1, 2, 7, 15], [1, 2, 20], [('ada', 35), ('ben', 33)],
    )


def test_second_game_starts_afresh():
    rules = Rules(handicap=[6])
    first, second = Tally(rules), Tally(rules)
    first.enter("ada", 11)
    second.enter("ada", 3)
    second.enter("cyd", 25)
    assert (first.standing(), second.standing(), rules.handicap) == ([('ada', 17)], [('cyd', 41), ('ada', 9)], [6])


def test_take_back_concerns_one_player():
    tally = Tally(Rules())
    tally.enter("ada", 8)
    tally.enter("ben", 9)
    assert (tally.take_back("ada"), tally.rounds("ada"), tally.rounds("ben")) == (8, [], [9])
