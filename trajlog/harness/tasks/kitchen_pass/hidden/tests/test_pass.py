import asyncio

from kitchen.card import Card
from kitchen.gate import Gate
from kitchen.line import Line, missed, timeline


async def settle():
    for _ in range(20):
        await asyncio.sleep(0)


def test_two_courses_without_the_slowest_station():
    card = Card.load()
    order = card.order("3", "bread, soup, steak / salad / sorbet, pasta / bread, omelette, trout")
    entries = asyncio.run(Line(card).serve(order))
    assert timeline(entries) == [1, 1, 1, 2, 3, 3, 4, 4, 4]
    assert missed(entries) == []


def test_fast_party_goes_round():
    async def scenario():
        gate, seen = Gate(2), []

        async def party(name, pause):
            for number in range(1, 5):
                for _ in range(pause):
                    await asyncio.sleep(0)
                await gate.arrive()
                seen.append((number, name))

        await asyncio.wait_for(asyncio.gather(party("slow", 5), party("fast", 0)), 2)
        return [number for number, _ in seen], gate.waiting

    assert asyncio.run(scenario()) == ([1, 1, 2, 2, 3, 3, 4, 4], 0)


def test_last_one_comes_back_at_once():
    async def scenario():
        gate, seen = Gate(3), []

        async def wait_twice(name):
            for number in (1, 2):
                await gate.arrive()
                seen.append(f"{name}{number}")

        first = [asyncio.create_task(wait_twice(name)) for name in "abc"]
        await settle()
        return sorted(seen[:3]), sorted(seen[3:]), [task.done() for task in first]

    assert asyncio.run(scenario()) == (["a1", "b1", "c1"], ["a2", "b2", "c2"], [True, True, True])


def test_called_away_while_waiting():
    async def scenario():
        gate, seen = Gate(3), []

        async def once(name):
            await gate.arrive()
            seen.append(name)

        gone = asyncio.create_task(once("gone"))
        await settle()
        gone.cancel()
        await settle()
        states = [gate.waiting]
        others = [asyncio.create_task(once(name)) for name in ("a", "b")]
        await settle()
        states.append((gate.waiting, list(seen)))
        others.append(asyncio.create_task(once("c")))
        await settle()
        for task in others:
            task.cancel()
        return states, sorted(seen)

    assert asyncio.run(scenario()) == ([0, (2, [])], ["a", "b", "c"])
