import asyncio

import pytest
from stars.atlas import Atlas
from stars.catalogue import Catalogues, Star, UnknownRegion
from stars.chart import legend, side_by_side
from stars.maker import Maker

LYRA = [Star("Vega", 18.6, 38.8, 0.0), Star("Sheliak", 18.8, 33.4, 3.5), Star("Sulafat", 19.0, 32.7, 3.3)]


class Gates:
    """Holds a step until it is opened; steps that nobody holds pass at once."""

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


async def turns(count=8):
    for _ in range(count):
        await asyncio.sleep(0)


def test_chart():
    catalogues = Catalogues()
    catalogues.put("Lyra", LYRA)
    chart = asyncio.run(Atlas(catalogues, Maker(catalogues)).chart("Lyra"))
    assert (chart.title(), chart.rows) == (
        'Lyra (1): Vega, Sulafat, Sheliak',
        ('-----------@', '------------', '------------', '------------', '+-----.-----'),
    )


def test_made_once_for_many():
    async def scenario():
        catalogues = Catalogues()
        catalogues.put("Lyra", LYRA)
        maker = Maker(catalogues)
        atlas = Atlas(catalogues, maker)
        charts = await atlas.charts(["Lyra"] * 3)
        charts.append(await atlas.chart("Lyra"))
        return len(set(map(id, charts))), maker.made, atlas.kept()

    assert asyncio.run(scenario()) == (1, [("Lyra", 1)], [("Lyra", 6.0)])


def test_update_between_requests():
    async def scenario():
        catalogues = Catalogues()
        catalogues.put("Lyra", LYRA[:1])
        atlas = Atlas(catalogues, Maker(catalogues))
        first = await atlas.chart("Lyra")
        atlas.update("Lyra", LYRA)
        return first.title(), (await atlas.chart("Lyra")).title()

    assert asyncio.run(scenario()) == ("Lyra (1): Vega", "Lyra (2): Vega, Sulafat, Sheliak")


def test_update_while_the_chart_is_made():
    async def scenario():
        catalogues = Catalogues()
        catalogues.put("Lyra", LYRA[:1])
        gates = Gates("Lyra draw 1")
        atlas = Atlas(catalogues, Maker(catalogues, gates))
        early = asyncio.create_task(atlas.chart("Lyra"))
        await turns()
        atlas.update("Lyra", LYRA)
        gates.open("Lyra draw 1")
        await early
        return (await atlas.chart("Lyra")).title()

    assert asyncio.run(scenario()) == "Lyra (2): Vega, Sulafat, Sheliak"


def test_unknown_region():
    catalogues = Catalogues()
    with pytest.raises(UnknownRegion):
        asyncio.run(Atlas(catalogues, Maker(catalogues)).chart("Nowhere"))


def test_legend():
    catalogues = Catalogues()
    catalogues.put("Lyra", LYRA)
    chart = asyncio.run(Atlas(catalogues, Maker(catalogues)).chart("Lyra"))
    assert (legend(chart), side_by_side(chart, chart)[-2:]) == (
        ['@ magnitude 0: 1', '+ magnitude 3: 1', '. magnitude 4: 1'],
        ['Lyra (1): Vega, Sulafat, Sheliak', 'Lyra (1): Vega, Sulafat, Sheliak'],
    )
