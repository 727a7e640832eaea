import asyncio

import pytest
from taxi import City, NoTaxi


async def settle():
    for _ in range(10):
        await asyncio.sleep(0)


def test_one_rank():
    async def main():
        city = City({"station": ["t1", "t2"]})
        ride = await city.order("ada", "station")
        return ride.taxi, city.audit()

    assert asyncio.run(main()) == ("t1", {"station": ["t2"], "driving": ["t1"], "lost": []})


def test_two_ranks_have_taxis():
    async def main():
        city = City({"station": ["t1", "t2"], "port": ["t3"]})
        ride = await asyncio.wait_for(city.order("ada", "port", "station"), 2)
        return ride.taxi, city.audit()

    assert asyncio.run(main()) == ("t3", {"station": ["t1", "t2"], "port": [], "driving": ["t3"], "lost": []})


def test_first_to_arrive():
    async def main():
        city = City({"station": [], "port": []})
        order = asyncio.ensure_future(city.order("ada", "port", "station"))
        await settle()
        city.arrive("t7", "station")
        ride = await asyncio.wait_for(order, 2)
        return ride.rank, city.ranks["port"].waiting, city.driving()

    assert asyncio.run(main()) == ("station", 0, {"t7": "ada"})


def test_all_closed():
    async def main():
        city = City({"station": ["t1"], "port": []})
        for rank in city.ranks.values():
            rank.close()
        with pytest.raises(NoTaxi, match="closed"):
            await asyncio.wait_for(city.order("ada", "port", "station"), 2)
        return city.audit()

    assert asyncio.run(main()) == {"station": ["t1"], "port": [], "driving": [], "lost": []}
