import pytest
from savegame.saves import SaveError, Slots, dump_fields, dumps, loads, new_game

OLD = {"day": 9, "gold": 12, "heroes": [["ada", 3], ["ben", 2], ["eve", 1]], "flags": ["bridge"]}


def test_current_save_comes_back():
    world = new_game("ada", "ben")
    world.hero("ada").hit(9, "fire")
    world.rest()
    loaded = loads(dumps(world))
    assert [(h.name, h.stats["health"], h.pack) for h in loaded.heroes] == [
        ("ada", 16, ["bread", "torch"]), ("ben", 21, ["bread", "torch"])
    ]


def test_old_save_is_upgraded():
    world = loads(dump_fields(OLD, 1))
    assert (world.day, world.gold, world.flags, world.hero("ben").level) == (9, 12, {"bridge": True}, 2)


def test_only_the_fighter_is_wounded():
    world = loads(dump_fields(OLD, 1))
    assert world.hero("ben").hit(7) == 7
    assert [hero.stats["health"] for hero in world.heroes] == [20, 13, 20]


def test_slots():
    slots = Slots(num_auto=2)
    for day in range(4):
        slots.autosave(new_game("ada"))
    slots.put("old", dump_fields(OLD, 1))
    assert slots.names() == ["auto-3", "auto-4", "old"]
    with pytest.raises(SaveError):
        slots.load("auto-1")


def test_damaged_save():
    with pytest.raises(SaveError, match="check sum"):
        loads(dumps(new_game("ada")).replace("bread", "broad"))
