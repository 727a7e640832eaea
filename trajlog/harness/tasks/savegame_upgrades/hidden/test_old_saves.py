from savegame.saves import Slots, dump_fields, dumps, loads, new_game

SECOND = {"day": 4, "heroes": [{"name": "ada", "level": 2, "pack": []}, {"name": "ben", "level": 1, "pack": []}],
          "flags": []}
FIRST = {"day": 2, "heroes": [["kim", 1], ["lee", 1]], "flags": ["gate"]}


def test_resistance_belongs_to_one_hero():
    world = loads(dump_fields(SECOND, 2))
    world.hero("ada").harden("fire", 10)
    world.hero("ada").harden("poison", 3)
    assert [hero.stats["resist"] for hero in world.heroes] == [
        {"fire": 14, "cold": 2, "poison": 3}, {"fire": 4, "cold": 2}
    ]
    assert (world.hero("ada").hit(9, "fire"), world.hero("ben").hit(9, "fire")) == (2, 7)


def test_loading_again_starts_afresh():
    slots = Slots()
    slots.put("old", dump_fields(FIRST, 1))
    for _ in range(3):
        world = slots.load("old")
        world.hero("kim").hit(12)
        world.hero("lee").train("wit")
        world.hero("lee").harden("cold", 5)
    assert [hero.stats for hero in world.heroes] == [
        {"health": 8, "strength": 5, "wit": 5, "resist": {"fire": 4, "cold": 2}},
        {"health": 20, "strength": 5, "wit": 6, "resist": {"fire": 4, "cold": 7}},
    ]


def test_new_game_after_an_old_one():
    old = loads(dump_fields(SECOND, 2))
    old.hero("ben").hit(19)
    old.hero("ben").harden("blade", 8)
    fresh = new_game("zoe")
    assert fresh.hero("zoe").stats == {"health": 20, "strength": 5, "wit": 5, "resist": {"fire": 4, "cold": 2}}


def test_other_old_save_after_a_game():
    first = loads(dump_fields(FIRST, 1))
    first.hero("lee").harden("fire", 1)
    second = loads(dump_fields(SECOND, 2))
    assert (second.gold, second.hero("ada").stats["resist"], second.day) == (30, {"fire": 4, "cold": 2}, 4)


def test_third_version_keeps_its_stats():
    fields = {"day": 1, "gold": 5, "flags": ["a", "b"],
              "heroes": [{"name": "x", "level": 1, "pack": [], "stats": {"health": 3, "resist": {}}}]}
    world = loads(dumps(loads(dump_fields(fields, 3))))
    assert (world.hero("x").stats, world.flags) == ({"health": 3, "resist": {}}, {"a": True, "b": True})
