import asyncio

import pytest
from downloads import Manager, TransferError
from downloads.manager import download_all
from downloads.mirror import MemoryMirror

TEXT = bytes(range(97, 121))


def test_next_attempt_fetches_the_rest():
    async def scenario():
        mirror = MemoryMirror({"a": TEXT}, breaks={8: 1})
        manager = Manager(mirror, segment_size=8, attempts=2)
        return await manager.download("a"), mirror.served

    content, served = asyncio.run(scenario())
    assert content == b"abcdefghijklmnopqrstuvwx"
    assert sorted(set(served)) == [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22]
    assert served.count(8) == 1


def test_second_call_after_a_failed_one():
    async def scenario():
        manager = Manager(MemoryMirror({"a": TEXT}, breaks={18: 2}), segment_size=6, attempts=2)
        with pytest.raises(TransferError):
            await manager.download("a")
        left = manager.stores["a"].writers
        return left, await manager.download("a")

    assert asyncio.run(scenario()) == ([], b"abcdefghijklmnopqrstuvwx")


def test_no_progress_after_the_error_was_reported():
    async def scenario():
        counted = []
        manager = Manager(
            MemoryMirror({"a": TEXT, "b": b"0123456789"}, breaks={12: 9}),
            attempts=3,
            on_progress=lambda name, count: counted.append(name),
        )
        results = await download_all(manager, ["a", "b"])
        return str(results["a"]), results["b"], counted[-5:], counted[0]

    assert asyncio.run(scenario()) == ("a broke off at 12", b"0123456789", ["b", "b", "b", "b", "b"], "a")


def test_cancelled_download_stops_its_transfers():
    async def scenario():
        mirror = MemoryMirror({"a": TEXT})
        manager = Manager(mirror, segment_size=12)
        request = asyncio.create_task(manager.download("a"))
        while len(mirror.served) < 4:
            await asyncio.sleep(0)
        request.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(request, 2)
        writers, served = manager.stores["a"].writers, list(mirror.served)
        for _ in range(30):
            await asyncio.sleep(0)
        return writers, served == mirror.served, await manager.download("a")

    assert asyncio.run(scenario()) == ([], True, b"abcdefghijklmnopqrstuvwx")
