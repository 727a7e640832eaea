import asyncio

from scores import Feed, most_points
from scores.rules import asked, forward_periods


def gated():
    """A rule that waits until its update is let through, by the number of the call."""
    gates = []

    async def service(before, after):
        gate = asyncio.Event()
        gates.append(gate)
        await asyncio.wait_for(gate.wait(), 2)
        return ""

    return gates, asked(service)


async def settle():
    for _ in range(20):
        await asyncio.sleep(0)


async def let_all(gates, tasks):
    for _ in range(12):
        for gate in gates:
            gate.set()
        await settle()
    return [type(r).__name__ for r in await asyncio.gather(*tasks, return_exceptions=True)]


def test_limit_holds_for_updates_together():
    async def main():
        gates, rule = gated()
        feed = Feed([most_points(10), rule])
        tasks = [asyncio.ensure_future(feed.score("home", points)) for points in (6, 3, 4, 1)]
        await settle()
        kinds = await let_all(gates, tasks)
        return kinds, feed.current.line(), feed.current.version, feed.refused

    assert asyncio.run(main()) == (["Snapshot", "Snapshot", "Refused", "Snapshot"], "P1 home 10", 3, 1)


def test_order_of_sending():
    async def main():
        gates, rule = gated()
        feed = Feed([rule])
        seen = []
        feed.show_on(lambda snapshot: seen.append((snapshot.version, snapshot.line())))
        tasks = [asyncio.ensure_future(job) for job in (feed.score("a", 2), feed.undo(), feed.score("b", 5))]
        await settle()
        for gate in reversed(gates):
            gate.set()
            await settle()
        kinds = await let_all(gates, tasks)
        return seen, kinds

    assert asyncio.run(main()) == (
        [(0, 'P1 '), (1, 'P1 a 2'), (2, 'P1 '), (3, 'P1 b 5')], ['Snapshot', 'Snapshot', 'Snapshot'],
    )


def test_a_sender_gives_up():
    async def main():
        gates, rule = gated()
        feed = Feed([rule])
        tasks = [asyncio.ensure_future(feed.score(team)) for team in "abcd"]
        await settle()
        tasks[0].cancel()
        tasks[2].cancel()
        await settle()
        before = feed.current.line()
        kinds = await let_all(gates, tasks)
        return before, kinds, feed.current.line(), feed.current.version

    assert asyncio.run(main()) == (
        'P1 ', ['CancelledError', 'Snapshot', 'CancelledError', 'Snapshot'], 'P1 b 1 : d 1', 2,
    )


def test_periods_and_points():
    async def main():
        gates, rule = gated()
        feed = Feed([rule, forward_periods(4)])
        old = feed.current
        jobs = (feed.period(3), feed.score("x", 7), feed.period(2), feed.score("x"))
        tasks = [asyncio.ensure_future(job) for job in jobs]
        await settle()
        kinds = await let_all(gates, tasks)
        return kinds, feed.current.line(), old.line(), [s.version for s in feed.since(1)]

    assert asyncio.run(main()) == (["Snapshot", "Snapshot", "Refused", "Snapshot"], "P3 x 8", "P1 ", [2, 3])
