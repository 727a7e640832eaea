import pytest
from game import Game


@pytest.fixture
def game():
    return Game()


def test_unknown_things(game):
    assert [game.do("sing"), game.do("attack cat"), game.do("go north")] == [
        "I do not know how to sing.", "There is no cat.", "There is no way."
    ]


def test_first_look(game):
    assert game.do("look") == "cellar: rat 6/6 courage 2, rat 6/6 courage 2"


def test_bag(game):
    assert [game.do("i"), game.do("use rope"), game.do("use flask"), game.do("bag")] == [
        "You carry: flask, horn", "You have no rope.", "You feel better by 0.", "You carry: horn"
    ]


def test_attack_wounds_one_rat(game):
    assert game.do("attack rat") == "You hit the rat for 4. It hits back for 1."
    assert game.do("look") == "cellar: rat 2/6 courage 1, rat 6/6 courage 2"


def test_one_rat_dies(game):
    game.do("attack rat")
    assert game.do("attack rat") == "You hit the rat for 4. The rat dies."
    assert game.do("look") == "cellar: rat 6/6 courage 2"
