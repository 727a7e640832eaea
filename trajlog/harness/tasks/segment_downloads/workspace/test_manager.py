import asyncio
import zlib

import pytest
from downloads import ChecksumError, Manager, TransferError
from downloads.mirror import MemoryMirror
from downloads.plan import split

TEXT = b"the quick brown fox"


async def settle(rounds=50):
    for _ in range(rounds):
        await asyncio.sleep(0)


def test_split():
    assert [(part.start, part.stop) for part in split(14, 6)] == [(0, 6), (6, 12), (12, 14)]


def test_download_in_segments():
    counted = []
    manager = Manager(MemoryMirror({"a": TEXT}), on_progress=lambda name, count: counted.append(count))
    assert asyncio.run(manager.download("a", zlib.crc32(TEXT))) == b"the quick brown fox"
    assert sum(counted) == 19


def test_wrong_checksum():
    with pytest.raises(ChecksumError):
        asyncio.run(Manager(MemoryMirror({"a": TEXT})).download("a", 1))


def test_nothing_is_fetched_after_the_error():
    async def scenario():
        mirror = MemoryMirror({"a": TEXT * 4}, breaks={20: 1}, chunk_size=1)
        manager = Manager(mirror, segment_size=20, attempts=1)
        with pytest.raises(TransferError, match="broke off at 20"):
            await manager.download("a")
        served = len(mirror.served)
        await settle()
        return len(mirror.served) - served, manager.stores["a"].writers, len(manager.stores["a"].segments)

    assert asyncio.run(scenario()) == (0, [], 4)
