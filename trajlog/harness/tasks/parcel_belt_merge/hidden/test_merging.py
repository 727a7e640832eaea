import asyncio

from conveyor.counting import Gate
from conveyor.merge import Merge
from conveyor.parcels import Belt, Parcel


def within_limit(scenario):
    return asyncio.run(asyncio.wait_for(scenario, 2))


def loaded(name, count):
    return Belt(name).put(*(Parcel(f"{name}{number}", 10 * number, name.upper()) for number in range(1, count + 1)))


async def settle():
    for _ in range(60):
        await asyncio.sleep(0)


def test_full_belts():
    async def scenario():
        gate = Gate(Merge(loaded("a", 4).close(), loaded("b", 2).close(), loaded("c", 3).close()))
        codes = [parcel.code async for parcel in gate]
        return codes, gate.lines()

    assert within_limit(scenario()) == (
        ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "c3", "a4"],
        ["zone A: 4 parcels, 100 g", "zone B: 2 parcels, 30 g", "zone C: 3 parcels, 60 g"],
    )


def test_silent_belt_delivers_in_the_end():
    async def scenario():
        slow, fast = Belt("s"), loaded("f", 3)
        merge, codes = Merge(slow, fast), []

        async def take():
            async for parcel in merge:
                codes.append(parcel.code)

        taking = asyncio.ensure_future(take())
        await settle()
        slow.put(Parcel("s1", 1), Parcel("s2", 1))
        await settle()
        slow.put(Parcel("s3", 1)).close()
        await settle()
        seen = len(codes)
        fast.put(Parcel("f4", 1)).close()
        await taking
        return codes, seen, slow.is_stopped, fast.is_stopped

    assert within_limit(scenario()) == (["f1", "f2", "f3", "s1", "s2", "s3", "f4"], 6, True, True)


def test_others_go_on_when_one_breaks():
    async def scenario():
        merge = Merge(loaded("a", 1).break_down(), loaded("b", 3).close(), loaded("c", 2).break_down())
        codes = [parcel.code async for parcel in merge]
        return codes, merge.broken

    assert within_limit(scenario()) == (["a1", "b1", "c1", "b2", "c2", "b3"], ["a is stuck", "c is stuck"])


def test_belts_are_stopped_early():
    async def scenario():
        belts = [loaded("a", 3), Belt("b"), loaded("c", 1)]
        parcels = aiter(Merge(*belts))
        codes = [(await anext(parcels)).code for _ in range(3)]
        await parcels.aclose()
        return codes, [belt.is_stopped for belt in belts]

    assert within_limit(scenario()) == (["a1", "c1", "a2"], [True, True, True])
