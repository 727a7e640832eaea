import asyncio

import pytest
from perms.context import acting_as, elevated
from perms.guard import Refused, User
from perms.reports import Reports

ADA, BEN = User("ada", ("editor",)), User("ben", ("viewer",))


def test_own_roles():
    async def scenario():
        reports = Reports()
        with acting_as(ADA):
            await reports.write("a", "text")
        with acting_as(BEN):
            assert await reports.read("a") == "text"
            with pytest.raises(Refused, match="ben may not report.delete"):
                await reports.delete("a")

    asyncio.run(scenario())


def test_nested_elevations():
    reports = Reports()
    asyncio.run(reports.replace(BEN, "old", "new", "text"))
    assert reports.guard.trail.lines() == [
        "ben report.write viewer+editor ok",
        "ben report.delete viewer+editor+admin ok",
        "ben report.write viewer+editor ok",
    ]


def test_elevation_ends_with_an_exception():
    reports = Reports()

    async def scenario():
        with acting_as(BEN):
            with pytest.raises(ZeroDivisionError), elevated("admin"):
                reports.guard.demand("user.add")
                raise ZeroDivisionError
            assert not reports.guard.allowed("user.add")

    asyncio.run(scenario())
    assert reports.guard.trail.lines() == ["ben user.add viewer+admin ok", "ben user.add viewer refused"]


def test_two_requests_at_once():
    async def scenario():
        reports = Reports()
        inside, leave = asyncio.Event(), asyncio.Event()

        async def admin_request():
            with acting_as(ADA), elevated("admin"):
                inside.set()
                await asyncio.wait_for(leave.wait(), 2)
                return reports.guard.allowed("user.add")

        async def viewer_request():
            await asyncio.wait_for(inside.wait(), 2)
            with acting_as(BEN):
                answer = reports.guard.allowed("report.delete")
            leave.set()
            return answer

        answers = await asyncio.gather(admin_request(), viewer_request())
        assert answers == [True, False]
        assert reports.guard.trail.lines() == ["ben report.delete viewer refused", "ada user.add editor+admin ok"]

    asyncio.run(scenario())
