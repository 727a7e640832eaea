import asyncio

import pytest
from scores import Feed, Refused, most_points, only_teams
from scores.rules import asked


def slow(times=3, answer=""):
    async def service(before, after):
        for _ in range(times):
            await asyncio.sleep(0)
        return answer

    return asked(service)


def test_one_after_the_other():
    async def main():
        feed = Feed([slow(), only_teams("home", "away")])
        seen = []
        feed.show_on(lambda snapshot: seen.append(snapshot.line()))
        await feed.score("home", 2)
        await feed.score("away", 3)
        await feed.period(2)
        await feed.undo()
        return seen, feed.current.leader()

    assert asyncio.run(main()) == (
        ['P1 ', 'P1 home 2', 'P1 away 3 : home 2', 'P2 away 3 : home 2', 'P1 away 3 : home 2'], 'away',
    )


def test_together():
    async def main():
        feed = Feed([slow()])
        await asyncio.wait_for(asyncio.gather(feed.score("home", 2), feed.score("away", 3), feed.score("home")), 2)
        return feed.current.line(), feed.current.version

    assert asyncio.run(main()) == ("P1 away 3 : home 3", 3)


def test_refused():
    async def main():
        feed = Feed([most_points(5)])
        await feed.score("home", 4)
        with pytest.raises(Refused, match="6 of 5"):
            await feed.score("home", 2)
        return feed.current.line(), feed.refused, len(feed.since(0))

    assert asyncio.run(main()) == ("P1 home 4", 1, 1)


def test_nothing_to_undo():
    with pytest.raises(LookupError, match="nothing"):
        asyncio.run(Feed().undo())
