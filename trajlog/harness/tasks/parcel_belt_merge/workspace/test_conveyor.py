import asyncio

import pytest
from conveyor.hall import Hall
from conveyor.manifest import Manifest
from conveyor.parcels import Belt, Parcel
from conveyor.sorting import Sorter, heavier_than, in_zone


@pytest.fixture
def sorter():
    return Sorter([("strong", heavier_than(5000)), ("north", in_zone("N"))])


def within_limit(scenario):
    return asyncio.run(asyncio.wait_for(scenario, 2))


def test_one_belt(sorter):
    async def scenario():
        belt = Belt("east").put(Parcel("a", 100), Parcel("b", 9000, "N"), Parcel("c", 70, "N")).close()
        hall = Hall([belt], sorter)
        assert await hall.run() == 3
        return hall.report()

    assert within_limit(scenario()) == [
        "north: c",
        "rest: a",
        "strong: b",
        "zone A: 1 parcels, 100 g",
        "zone N: 2 parcels, 9070 g",
    ]


def test_second_belt_is_slower(sorter):
    async def scenario():
        east, west = Belt("east"), Belt("west")
        hall = Hall([east, west], sorter)
        running = asyncio.ensure_future(hall.run())
        for code in "abc":
            east.put(Parcel(code, 10))
            for _ in range(40):
                await asyncio.sleep(0)
            west.put(Parcel(code.upper(), 10))
            for _ in range(40):
                await asyncio.sleep(0)
        east.close()
        west.close()
        return await running, hall.report()

    assert within_limit(scenario()) == (6, ["rest: a A b B c C", "zone A: 6 parcels, 60 g"])


def test_broken_belt(sorter):
    async def scenario():
        hall = Hall([Belt("east").put(Parcel("a", 1)).break_down()], sorter)
        return await hall.run(), hall.report()

    assert within_limit(scenario()) == (1, ["rest: a", "zone A: 1 parcels, 1 g", "east is stuck"])


def test_first_rule_wins(sorter):
    assert [sorter.drop(Parcel("x", grams, "N")) for grams in (1, 6000)] == ["north", "strong"]


def test_manifest():
    manifest = Manifest("a, 100, N\nb, 20, S\nc, 5, N\n")
    assert manifest.compare(["c", "x", "c", "a"]) == ["missing b", "c came 2 times", "strange x"]
    assert [parcel.code for parcel in manifest.parcels("N")] == ["a", "c"]
