import asyncio

import pytest
from dispatch import Call, CallQueue, MessageError, QueueClosed, parse_call, read_back, run_shift


async def short(crew, call):
    await asyncio.sleep(0)


def out_and_back():
    """A drive that ends when its place is let go."""
    gates = {}

    async def drive(crew, call):
        await asyncio.wait_for(gates.setdefault(call.place, asyncio.Event()).wait(), 2)

    return gates, drive


def test_calls_one_by_one():
    steps = [lambda q, s: q.put(Call("mill")), lambda q, s: q.put(Call("port"))]
    board, done = asyncio.run(run_shift(["Fox", "Owl"], steps, short))
    assert board.journal[:4] == ["Fox idle", "Owl idle", "Fox out #1 mill", "Fox idle"]
    assert sorted(done["Fox"] + done["Owl"]) == [1, 2]


def test_two_calls_at_once():
    gates, drive = out_and_back()
    seen = []

    def two(queue, shift):
        queue.put(Call("mill"))
        queue.put(Call("port", urgency=1))

    def look(queue, shift):
        seen.append((len(queue), sorted(gates)))
        for place in ("mill", "port"):
            gates.setdefault(place, asyncio.Event()).set()

    asyncio.run(run_shift(["Fox", "Owl"], [two, look], drive))
    assert seen == [(0, ["mill", "port"])]


def test_urgent_first():
    async def main():
        queue = CallQueue()
        for place, urgency in (("a", 3), ("b", 1), ("c", 2), ("d", 1)):
            queue.put(Call(place, urgency))
        return [(await asyncio.wait_for(queue.take(), 2)).place for _ in range(4)]

    assert asyncio.run(main()) == ["b", "d", "c", "a"]


def test_messages():
    async def main():
        queue = CallQueue()
        for text in ("mill: cat / on the roof", "URGENT old port: smoke"):
            queue.put(parse_call(text))
        return [read_back(await asyncio.wait_for(queue.take(), 2)) for _ in range(2)]

    assert asyncio.run(main()) == [
        'urgent, old port, call 2\n  1. smoke', 'routine, mill, call 1\n  1. cat\n  2. on the roof',
    ]
    with pytest.raises(MessageError, match="no place"):
        parse_call("urgent: smoke")


def test_closed():
    async def main():
        queue = CallQueue()
        queue.put(Call("a"))
        queue.close()
        first = await asyncio.wait_for(queue.take(), 2)
        with pytest.raises(QueueClosed, match="no more calls"):
            await asyncio.wait_for(queue.take(), 2)
        return first.number

    assert asyncio.run(main()) == 1
