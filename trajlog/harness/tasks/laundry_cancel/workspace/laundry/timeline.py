"""Time that passes only when it is told to."""

import asyncio
import heapq
from itertools import count


class Timeline:
    def __init__(self):
        self.now = 0
        self._sleepers = []
        self._order = count()

    async def sleep(self, seconds):
        wake = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self.now + seconds, next(self._order), wake))
        await wake

    async def advance(self, seconds):
        """Lets seconds pass, and everything happen that is due in them."""
        end = self.now + seconds
        await settle()
        while self._sleepers and self._sleepers[0][0] <= end:
            self.now, _, wake = heapq.heappop(self._sleepers)
            if not wake.done():
                wake.set_result(None)
            await settle()
        self.now = end


async def settle(rounds=12):
    for _ in range(rounds):
        await asyncio.sleep(0)
