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
                waiting = {name: asyncio.ensure_future(anext(source)) for name, source in sources.items()}
                done, pending = await asyncio.wait(waiting.values(), return_when=asyncio.FIRST_COMPLETED)
                for task in pending:
                    task.cancel()
                await asyncio.gather(*pending, return_exceptions=True)
                for name in [name for name in sources if waiting[name] in done]:
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
        for task in waiting.values():
            task.cancel()
        await asyncio.gather(*waiting.values(), return_exceptions=True)
        for source in sources.values():
            await source.aclose()
