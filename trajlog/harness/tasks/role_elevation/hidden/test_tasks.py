import asyncio

from perms.context import acting_as, active_roles, elevated
from perms.guard import User
from perms.reports import Reports, Store

EVE, KIM = User("eve", ("viewer",)), User("kim", ("viewer",))


def test_child_task_elevates_itself():
    async def scenario():
        up, down = asyncio.Event(), asyncio.Event()

        async def child():
            with elevated("admin"):
                up.set()
                await asyncio.wait_for(down.wait(), 2)
                return active_roles()

        with acting_as(EVE), elevated("editor"):
            task = asyncio.create_task(child())
            await asyncio.wait_for(up.wait(), 2)
            parent = active_roles()
            down.set()
            assert [parent, await task, active_roles()] == [
                ["viewer", "editor"], ["viewer", "editor", "admin"], ["viewer", "editor"]
            ]

    asyncio.run(scenario())


def test_child_task_keeps_the_rights_of_its_start():
    async def scenario():
        go = asyncio.Event()

        async def child():
            await asyncio.wait_for(go.wait(), 2)
            return active_roles()

        with acting_as(KIM):
            with elevated("editor", "admin"):
                early = asyncio.create_task(child())
            late = asyncio.create_task(child())
            go.set()
            assert [await early, await late] == [["viewer", "editor", "admin"], ["viewer"]]

    asyncio.run(scenario())


def test_overlapping_replacements():
    async def scenario():
        turns = []

        async def pause():
            turns.append(len(turns))
            await asyncio.sleep(0)

        reports = Reports(store=Store(pause))
        await asyncio.gather(reports.replace(EVE, "a", "b", "x"), reports.replace(KIM, "c", "d", "y"))
        assert [reports.guard.trail.lines("eve"), reports.guard.trail.lines("kim")] == [
            [
                "eve report.write viewer+editor ok",
                "eve report.delete viewer+editor+admin ok",
                "eve report.write viewer+editor ok",
            ],
            [
                "kim report.write viewer+editor ok",
                "kim report.delete viewer+editor+admin ok",
                "kim report.write viewer+editor ok",
            ],
        ]
        assert reports.store.texts == {"b": "x.", "d": "y."}

    asyncio.run(scenario())


def test_siblings_started_in_one_block():
    async def scenario():
        first_up, second_seen = asyncio.Event(), asyncio.Event()

        async def first():
            with elevated("admin"):
                first_up.set()
                await asyncio.wait_for(second_seen.wait(), 2)
            return active_roles()

        async def second():
            await asyncio.wait_for(first_up.wait(), 2)
            seen = active_roles()
            second_seen.set()
            return seen

        with acting_as(EVE), elevated("editor"):
            both = await asyncio.gather(first(), second())
        assert both == [["viewer", "editor"], ["viewer", "editor"]]

    asyncio.run(scenario())
