from game import Game
from world import load


def test_hero_and_ogre_have_their_own_gauges():
    game = Game()
    game.do("go up")
    lines = [game.do("attack ogre"), game.do("look"), game.world.hero.status()]
    assert lines == [
        "You hit the ogre for 4. It hits back for 6.", "hall: ogre 11/15 courage 8", "hero 14/20 courage 4"
    ]


def test_healing_stops_at_the_maximum_of_the_hero():
    game = Game()
    game.do("attack rat")
    game.do("go up")
    game.do("attack ogre")
    healed = [game.do("heal 3"), game.do("heal 100"), game.do("look")]
    assert healed == ["hero 16/20 courage 3", "hero 20/20 courage 3", "hall: ogre 11/15 courage 8"]


def test_horn_takes_courage_from_those_in_the_room():
    game = Game()
    game.do("a rat")
    said = game.do("use horn")
    game.do("g up")
    assert [said, game.do("l"), game.world.hero.status(), game.do("use flask")] == [
        "A terrible noise! The rat runs away.", "hall: ogre 15/15 courage 9", "hero 19/20 courage 4",
        "You feel better by 1.",
    ]


def test_saved_state():
    game = Game()
    game.do("attack rat")
    seen = [game.do("restore"), game.do("save")]
    game.do("attack rat")
    game.do("use flask")
    seen += [game.do("look"), game.do("restore"), game.world.hero.status(), game.do("bag")]
    game.do("attack rat")
    seen += [game.do("restore")]
    assert seen == [
        "Nothing was saved.", "Saved.", "cellar: rat 6/6 courage 2", "cellar: rat 2/6 courage 1, rat 6/6 courage 2",
        "hero 19/20 courage 4", "You carry: flask, horn", "cellar: rat 2/6 courage 1, rat 6/6 courage 2",
    ]


def test_worlds_do_not_know_each_other():
    first, second = Game(load()), Game(load())
    for _ in range(2):
        first.do("attack rat")
    assert [first.do("look"), second.do("look")] == [
        "cellar: rat 6/6 courage 2", "cellar: rat 6/6 courage 2, rat 6/6 courage 2"
    ]
    second.do("attack rat")
    assert (first.world.hero.status(), second.world.hero.status()) == ("hero 19/20 courage 4", "hero 19/20 courage 4")


def test_health_and_courage_are_two_things():
    rat = load().rooms["cellar"].creatures[0]
    rat.courage -= 5
    rat.health += 50
    seen = [rat.courage, rat.health, rat.flees]
    rat.courage = 1
    rat.health -= 2
    assert [*seen, rat.courage, rat.health, rat.flees] == [0, 6, True, 1, 4, False]


def test_creatures_made_after_others_are_gone():
    totals = []
    for force in range(1, 6):
        world = load()
        world.rooms["hall"].creatures[0].health -= force
        totals.append(world.rooms["hall"].creatures[0].health)
        del world
    assert totals == [14, 13, 12, 11, 10]
