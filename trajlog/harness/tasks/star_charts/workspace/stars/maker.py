"""Makes charts in steps, so that others get their turn."""

import asyncio

from stars.chart import draw


class Maker:
    """`pause(region, step)` is awaited before each of the steps `read` and `draw`."""

    def __init__(self, catalogues, pause=None):
        self._catalogues = catalogues
        self._pause = pause or self._next_turn
        self.made = []

    @staticmethod
    async def _next_turn(region, step):
        await asyncio.sleep(0)

    async def make(self, region, faintest):
        await self._pause(region, "read")
        stars = self._catalogues.stars(region)
        release = self._catalogues.release(region)
        await self._pause(region, "draw")
        self.made.append((region, release))
        return draw(region, release, stars, faintest=faintest)
