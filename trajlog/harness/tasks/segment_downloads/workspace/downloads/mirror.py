"""A mirror held in memory, for dry runs."""

import asyncio

from downloads.errors import TransferError


class MemoryMirror:
    """`breaks` maps an offset to how many times the transfer breaks off there."""

    def __init__(self, files, breaks=None, chunk_size=2):
        self._files = files
        self._breaks = dict(breaks or {})
        self._chunk_size = chunk_size
        self.served = []
        self.connections = 0

    async def size(self, name):
        await asyncio.sleep(0)
        return len(self._files[name])

    async def chunks(self, name, start, stop):
        self.connections += 1
        try:
            for offset in range(start, stop, self._chunk_size):
                await asyncio.sleep(0)
                if self._breaks.get(offset, 0) > 0:
                    self._breaks[offset] -= 1
                    raise TransferError(f"{name} broke off at {offset}")
                self.served.append(offset)
                yield self._files[name][offset : min(offset + self._chunk_size, stop)]
        finally:
            await asyncio.sleep(0)  # say goodbye
            self.connections -= 1
