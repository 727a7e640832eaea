"""Several belts on one conveyor."""

import asyncio

from conveyor.parcels import BeltBroken


class Merge:
    """Iterates over the parcels of all belts as they come. `broken` has a line for every broken belt."""

    def __init__(self, *belts):
        self._belts = belts
        self.broken = []

    def __aiter__(self):
        return self._parcels()

    async def _parcels(self):
        sources = {belt.name: aiter(belt) for belt in self._belts}
        waiting = {}
        try:
            while sources:
                for name, source in sources.items():
                    if name not in waiting:
                        waiting[name] = asyncio.ensure_future(anext(source))
                await asyncio.wait(waiting.values(), return_when=asyncio.FIRST_COMPLETED)
                for name in [name for name in sources if waiting[name].done()]:
                    task = waiting.pop(name)
                    try:
                        parcel = task.result()
                    except StopAsyncIteration:
                        del sources[name]
                    except BeltBroken as problem:
                        self.broken.append(str(problem))
                        del sources[name]
                    else:
                        yield parcel
        finally:
            await self._stop(sources, waiting)

    async def _stop(self, sources, waiting):
        for name, source in sources.items():
            if name not in waiting:
                await source.aclose()
