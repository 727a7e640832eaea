"""The whole hall: belts, merge, gate, sorter."""

from contextlib import aclosing

from conveyor.counting import Gate
from conveyor.merge import Merge


class Hall:
    def __init__(self, belts, sorter):
        self._merge = Merge(*belts)
        self._gate = Gate(self._merge)
        self._sorter = sorter

    async def run(self, limit=None):
        """Sort until the belts end, or `limit` parcels; returns the number of parcels."""
        count = 0
        if limit == 0:
            return count
        async with aclosing(aiter(self._merge)) as parcels:
            async for parcel in parcels:
                self._gate.note(parcel)
                self._sorter.drop(parcel)
                count += 1
                if count == limit:
                    break
        return count

    def report(self):
        lines = [f"{name}: {' '.join(codes)}" for name, codes in sorted(self._sorter.chutes.items())]
        return [*lines, *self._gate.lines(), *self._merge.broken]
