import asyncio

import pytest
from taxi import City, NoTaxi


async def settle():
    for _ in range(10):
        await asyncio.sleep(0)


def test_arrivals_at_the_same_time():
    async def main():
        city = City({"a": [], "b": [], "c": []})
        order = asyncio.ensure_future(city.order("ada", "c", "a", "b"))
        await settle()
        for taxi, rank in (("t1", "a"), ("t2", "b"), ("t3", "b")):
            city.arrive(taxi, rank)
        ride = await asyncio.wait_for(order, 2)
        return ride.taxi, ride.rank, city.audit()

    assert asyncio.run(main()) == ("t1", "a", {"a": [], "b": ["t2", "t3"], "c": [], "driving": ["t1"], "lost": []})


def test_the_other_taxi_goes_to_the_next_one_waiting():
    async def main():
        city = City({"a": [], "b": []})
        ada = asyncio.ensure_future(city.order("ada", "a", "b"))
        await settle()
        ben = asyncio.ensure_future(city.order("ben", "b"))
        await settle()
        city.arrive("t1", "b")
        city.arrive("t2", "a")
        rides = await asyncio.wait_for(asyncio.gather(ada, ben), 2)
        return [ride.taxi for ride in rides], city.audit()

    assert asyncio.run(main()) == (["t2", "t1"], {"a": [], "b": [], "driving": ["t1", "t2"], "lost": []})


def test_closed_ranks_among_them():
    async def main():
        city = City({"a": ["t1"], "b": ["t2", "t3"], "c": ["t4"], "d": []})
        city.ranks["a"].close()
        city.ranks["c"].close()
        first = await asyncio.wait_for(city.order("ada", "a", "d", "b", "c"), 2)
        city.ranks["a"].open()
        second = await asyncio.wait_for(city.order("ben", "c", "b", "a"), 2)
        return first.taxi, second.taxi, city.audit()

    assert asyncio.run(main()) == (
        't2', 't3', {'a': ['t1'], 'b': [], 'c': ['t4'], 'd': [], 'driving': ['t2', 't3'], 'lost': []},
    )


def test_a_rank_closes_meanwhile():
    async def main():
        city = City({"a": [], "b": [], "c": []})
        order = asyncio.ensure_future(city.order("ada", "a", "b", "c"))
        await settle()
        city.ranks["a"].close()
        await settle()
        open_before = order.done()
        city.arrive("t5", "c")
        city.arrive("t6", "b")
        ride = await asyncio.wait_for(order, 2)
        return open_before, ride.taxi, city.audit()

    assert asyncio.run(main()) == (False, "t6", {"a": [], "b": [], "c": ["t5"], "driving": ["t6"], "lost": []})


def test_patience_and_giving_up():
    async def main():
        city = City({"a": [], "b": []}, patience=0.02)
        with pytest.raises(NoTaxi, match="in time"):
            await asyncio.wait_for(city.order("ada", "a", "b"), 2)
        city.orders.patience = 2
        order = asyncio.ensure_future(city.order("ben", "a", "b"))
        await settle()
        order.cancel()
        city.arrive("t1", "a")
        await asyncio.wait([order], timeout=2)
        ride = await asyncio.wait_for(city.order("cy", "a", "b"), 2)
        return order.cancelled(), ride.taxi, city.audit()

    assert asyncio.run(main()) == (True, "t1", {"a": [], "b": [], "driving": ["t1"], "lost": []})


def test_giving_up_too_late():
    async def main():
        city = City({"a": [], "b": ["t9"], "c": []})
        city.ranks["c"].close()
        audits = []
        for wait in range(4):
            city.arrive(f"t{wait}", "a")
            order = asyncio.ensure_future(city.order("ada", "c", "a", "b"))
            for _ in range(wait):
                await asyncio.sleep(0)
            if not order.done():
                order.cancel()
            await asyncio.wait([order], timeout=2)
            audits.append(city.audit()["lost"])
        return audits, len(city.taxis)

    assert asyncio.run(main()) == ([[], [], [], []], 5)


def test_many_orders():
    async def main():
        city = City({name: [f"{name}{i}" for i in range(4)] for name in "abc"})
        orders = [city.order(f"p{i}", *("abc", "bca", "cab")[i % 3]) for i in range(9)]
        rides = await asyncio.wait_for(asyncio.gather(*orders), 2)
        return [ride.taxi for ride in rides], city.audit()

    assert asyncio.run(main()) == (
        ['a0', 'b1', 'c2', 'a3', 'b0', 'c1', 'b3', 'b2', 'c3'],
        {'a': ['a1', 'a2'],
         'b': [],
         'c': ['c0'],
         'driving': ['a0', 'a3', 'b0', 'b1', 'b2', 'b3', 'c1', 'c2', 'c3'],
         'lost': []},
    )
