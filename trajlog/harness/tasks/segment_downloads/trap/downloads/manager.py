"""Fetches files in segments, several at a time, with another attempt when a transfer breaks off."""

import asyncio
import zlib

from downloads.errors import ChecksumError, TransferError
from downloads.plan import split
from downloads.store import PartStore


class Manager:
    def __init__(self, mirror, segment_size=6, parallel=4, attempts=3, on_progress=None):
        self._mirror = mirror
        self._segment_size = segment_size
        self._slots = asyncio.Semaphore(parallel)
        self._attempts = attempts
        self._on_progress = on_progress or (lambda name, count: None)
        self.stores = {}

    async def download(self, name, crc=None):
        """The bytes of the file `name`. What was fetched before an error is used by the next call."""
        store = await self._store(name)
        for attempt in range(1, self._attempts + 1):
            try:
                await self._fetch_missing(name, store)
                break
            except TransferError:
                if attempt == self._attempts:
                    raise
        content = store.content()
        del self.stores[name]
        if crc is not None and zlib.crc32(content) != crc:
            raise ChecksumError(f"{name} has another checksum")
        return content

    async def _store(self, name):
        if name not in self.stores:
            size = await self._mirror.size(name)
            self.stores[name] = PartStore(split(size, self._segment_size))
        return self.stores[name]

    async def _fetch_missing(self, name, store):
        transfers = [asyncio.create_task(self._fetch(name, store, segment)) for segment in store.missing()]
        try:
            await asyncio.gather(*transfers)
        except BaseException:
            for transfer in transfers:
                transfer.cancel()
            raise

    async def _fetch(self, name, store, segment):
        async with self._slots:
            with store.writer(segment) as writer:
                async for chunk in self._mirror.chunks(name, segment.start, segment.stop):
                    writer.write(chunk)
                    self._on_progress(name, len(chunk))


async def download_all(manager, names):
    """Several files one after another; a failed one becomes its error."""
    results = {}
    for name in names:
        try:
            results[name] = await manager.download(name)
        except TransferError as error:
            results[name] = error
    return results
