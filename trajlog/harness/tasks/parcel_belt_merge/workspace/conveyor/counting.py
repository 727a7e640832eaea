"""Counts what passes by."""

from collections import Counter


class Gate:
    """Passes parcels on and counts them; an async iterator itself."""

    def __init__(self, source):
        self._source = source
        self.parcels = Counter()
        self.grams = Counter()

    def note(self, parcel):
        self.parcels[parcel.zone] += 1
        self.grams[parcel.zone] += parcel.grams

    async def __aiter__(self):
        async for parcel in self._source:
            self.note(parcel)
            yield parcel

    def lines(self):
        return [f"zone {zone}: {self.parcels[zone]} parcels, {self.grams[zone]} g" for zone in sorted(self.parcels)]
