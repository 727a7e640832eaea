"""The atlas keeps charts until their catalogue is updated."""

import asyncio


class Atlas:
    def __init__(self, catalogues, maker):
        self._catalogues = catalogues
        self._maker = maker
        self._charts = {}
        self._in_the_making = {}

    async def chart(self, region, faintest=6.0):
        key = region, faintest
        if key in self._charts:
            return self._charts[key]
        if key not in self._in_the_making:
            self._in_the_making[key] = asyncio.create_task(self._make(key))
        return await asyncio.shield(self._in_the_making[key])

    async def charts(self, regions, faintest=6.0):
        """Charts of several regions, made side by side."""
        return await asyncio.gather(*[self.chart(region, faintest) for region in regions])

    def update(self, region, stars):
        """A new release of a catalogue."""
        self._catalogues.put(region, stars)
        self.forget(region)

    def forget(self, region=None):
        """Forget the charts of a region, or all."""
        for key in [key for key in self._charts if region in (None, key[0])]:
            del self._charts[key]

    def kept(self):
        return sorted(self._charts)

    async def _make(self, key):
        try:
            release = self._catalogues.release(key[0])
            chart = await self._maker.make(*key)
            if self._catalogues.release(key[0]) == release:
                self._charts[key] = chart
            return chart
        finally:
            self._in_the_making.pop(key, None)
