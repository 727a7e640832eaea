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
        if self.waiting == self.parties:
            self._open()
        else:
            await self._opened.wait()

    def leave(self):
        """One party less, from now on."""
        self.parties -= 1
        if self.parties and self.waiting == self.parties:
            self._open()

    def _open(self):
        self.waiting = 0
        self._opened.set()
        self._opened = asyncio.Event()
