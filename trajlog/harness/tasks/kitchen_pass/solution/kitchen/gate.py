"""The pass, where dishes wait for those of the other stations."""

import asyncio


class _Round:
    def __init__(self):
        self.waiting = 0
        self.opened = asyncio.Event()


class Gate:
    """Holds everybody up until all parties are there, again and again."""

    def __init__(self, parties):
        self.parties = parties
        self._round = _Round()

    @property
    def waiting(self):
        return self._round.waiting

    async def arrive(self):
        current = self._round
        current.waiting += 1
        if current.waiting == self.parties:
            self._open()
            return
        try:
            await current.opened.wait()
        finally:
            current.waiting -= 1

    def leave(self):
        """One party less, from now on."""
        self.parties -= 1
        if self.parties and self._round.waiting == self.parties:
            self._open()

    def _open(self):
        self._round.opened.set()
        self._round = _Round()
