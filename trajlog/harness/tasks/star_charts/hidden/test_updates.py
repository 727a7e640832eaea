import asyncio

from stars.atlas import Atlas
from stars.catalogue import Catalogues, Star, UnknownRegion
from stars.maker import Maker

CRUX = [Star("Acrux", 12.4, -63.1, 0.8), Star("Mimosa", 12.8, -59.7, 1.3), Star("Gacrux", 12.5, -57.1, 1.6)]


class Gates:
    def __init__(self, *held):
        self._events = {name: asyncio.Event() for name in held}
        self.reached = []

    async def __call__(self, region, step):
        self.reached.append(f"{region} {step}")
        name = f"{region} {step} {self.reached.count(f'{region} {step}')}"
        if name in self._events:
            await asyncio.wait_for(self._events[name].wait(), 2)
        else:
            await asyncio.sleep(0)

    def open(self, name):
        self._events[name].set()


async def turns(count=12):
    for _ in range(count):
        await asyncio.sleep(0)


def made(*held):
    catalogues = Catalogues()
    catalogues.put("Crux", CRUX[:1])
    gates = Gates(*held)
    maker = Maker(catalogues, gates)
    return Atlas(catalogues, maker), maker, gates


def test_old_chart_is_finished_last():
    async def scenario():
        atlas, maker, gates = made("Crux draw 1")
        early = asyncio.create_task(atlas.chart("Crux"))
        await turns()
        atlas.update("Crux", CRUX)
        late = asyncio.create_task(atlas.chart("Crux"))
        await turns()
        gates.open("Crux draw 1")
        titles = [(await task).title() for task in (late, early)]
        titles.append((await atlas.chart("Crux")).title())
        return titles, maker.made

    assert asyncio.run(scenario()) == (
        ['Crux (2): Acrux, Mimosa, Gacrux', 'Crux (1): Acrux', 'Crux (2): Acrux, Mimosa, Gacrux'],
        [('Crux', 2), ('Crux', 1)],
    )


def test_new_request_while_the_old_chart_is_made():
    async def scenario():
        atlas, maker, gates = made("Crux draw 1", "Crux draw 2")
        tasks = [asyncio.create_task(atlas.chart("Crux"))]
        await turns()
        atlas.update("Crux", CRUX[:2])
        tasks.append(asyncio.create_task(atlas.chart("Crux")))
        await turns()
        gates.open("Crux draw 1")
        await turns()
        tasks += [asyncio.create_task(atlas.chart("Crux")) for _ in range(2)]
        await turns()
        gates.open("Crux draw 2")
        releases = [(await task).release for task in tasks]
        return releases, maker.made, atlas.kept()

    assert asyncio.run(scenario()) == ([1, 2, 2, 2], [('Crux', 1), ('Crux', 2)], [('Crux', 6.0)])


def test_two_updates_in_a_row():
    async def scenario():
        atlas, maker, gates = made("Crux draw 1", "Crux draw 2")
        tasks = [asyncio.create_task(atlas.chart("Crux", 3.0))]
        for count in (2, 3):
            await turns()
            atlas.update("Crux", CRUX[:count])
            tasks.append(asyncio.create_task(atlas.chart("Crux", 3.0)))
        await turns()
        gates.open("Crux draw 2")
        await turns()
        gates.open("Crux draw 1")
        rows = [(await task).release for task in tasks]
        return rows, (await atlas.chart("Crux", 3.0)).title(), maker.made

    assert asyncio.run(scenario()) == (
        [1, 2, 3], 'Crux (3): Acrux, Mimosa, Gacrux', [('Crux', 3), ('Crux', 2), ('Crux', 1)],
    )


def test_cancelled_request():
    async def scenario():
        atlas, maker, gates = made("Crux read 1")
        tasks = [asyncio.create_task(atlas.chart("Crux")) for _ in range(3)]
        await turns()
        tasks[0].cancel()
        await turns()
        gates.open("Crux read 1")
        titles = [(await task).title() for task in tasks[1:]]
        return titles, tasks[0].cancelled(), maker.made

    assert asyncio.run(scenario()) == (['Crux (1): Acrux', 'Crux (1): Acrux'], True, [('Crux', 1)])


def test_failure_reaches_all_and_is_not_kept():
    async def scenario():
        atlas, maker, _ = made()
        results = await asyncio.gather(*[atlas.chart("Lyra") for _ in range(2)], return_exceptions=True)
        kinds = [isinstance(result, UnknownRegion) for result in results]
        atlas.update("Lyra", CRUX)
        return kinds, (await atlas.chart("Lyra")).title(), maker.made

    assert asyncio.run(scenario()) == ([True, True], 'Lyra (1): Acrux, Mimosa, Gacrux', [('Lyra', 1)])
