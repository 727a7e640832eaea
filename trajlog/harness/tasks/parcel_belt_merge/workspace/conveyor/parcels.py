"""Parcels and the belts they come on."""

import asyncio
from dataclasses import dataclass


@dataclass(frozen=True)
class Parcel:
    code: str
    grams: int
    zone: str = "A"


class BeltBroken(RuntimeError):
    """A belt does not move any more."""


class Belt:
    """A belt is an async iterator over the parcels put on it, until it is closed."""

    _END = object()

    def __init__(self, name):
        self.name = name
        self.is_stopped = False
        self._queue = asyncio.Queue()

    def put(self, *parcels):
        for parcel in parcels:
            self._queue.put_nowait(parcel)
        return self

    def close(self):
        self._queue.put_nowait(self._END)
        return self

    def break_down(self):
        self._queue.put_nowait(BeltBroken(f"{self.name} is stuck"))
        return self

    async def __aiter__(self):
        try:
            while True:
                item = await self._queue.get()
                if item is self._END:
                    return
                if isinstance(item, BaseException):
                    raise item
                parcel = await self._scan(item)
                yield parcel
        finally:
            self.is_stopped = True

    async def _scan(self, parcel):
        """The scanner takes a moment."""
        await asyncio.sleep(0)
        return parcel
