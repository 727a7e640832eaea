"""The pass, where dishes wait for those of the other stations."""

import asyncio


class Gate:
    """Holds everybody up until all parties are there, again and again."""

    def __init__(self, parties):
        self.parties = parties
        self.waiting = 0
        self._opened = asyncio.Event()

    async def arrive(self):
        self.waiting += 1
        try:
            if self.waiting == self.parties:
                self._opened.set()
            await self._opened.wait()
        finally:
            self.waiting -= 1
            if not self.waiting:
                self._opened.clear()

    def leave(self):
        """One party less, from now on."""
        self.parties -= 1
        if self.parties and self.waiting == self.parties:
            self._opened.set()
