"""A rank: taxis in line, and those who wait for one."""

import asyncio
from collections import deque


class RankClosed(RuntimeError):
    """Nobody is served here."""


class Rank:
    def __init__(self, name, taxis=()):
        self.name = name
        self._line = deque(taxis)
        self._waiting = deque()
        self._closed = False

    @property
    def line(self):
        return list(self._line)

    @property
    def waiting(self):
        return sum(not seat.done() for seat in self._waiting)

    def _next_waiting(self):
        while self._waiting:
            seat = self._waiting.popleft()
            if not seat.done():
                return seat
        return None

    def arrive(self, taxi):
        """A taxi goes to the end of the line, unless somebody waits."""
        seat = self._next_waiting()
        if seat is not None:
            seat.set_result(taxi)
        else:
            self._line.append(taxi)

    def give_back(self, taxi):
        """A taxi that was taken and not needed goes to the head of the line."""
        seat = self._next_waiting()
        if seat is not None:
            seat.set_result(taxi)
        else:
            self._line.appendleft(taxi)

    async def take(self):
        """The first taxi; waits for one."""
        if self._closed:
            raise RankClosed(f"{self.name} is closed")
        if self._line:
            return self._line.popleft()
        seat = asyncio.get_running_loop().create_future()
        self._waiting.append(seat)
        try:
            return await seat
        except asyncio.CancelledError:
            if seat.done() and not seat.cancelled() and seat.exception() is None:
                self.give_back(seat.result())
            raise

    def close(self):
        self._closed = True
        while (seat := self._next_waiting()) is not None:
            seat.set_exception(RankClosed(f"{self.name} is closed"))

    def open(self):
        self._closed = False
