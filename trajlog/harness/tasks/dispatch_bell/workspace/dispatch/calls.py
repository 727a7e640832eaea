"""The queue of calls that wait for a crew."""

import asyncio
import heapq
from collections import deque
from dataclasses import dataclass, field
from itertools import count


class QueueClosed(Exception):
    """The queue is closed and worked off."""


@dataclass
class Call:
    place: str
    urgency: int = 3
    notes: list = field(default_factory=list)
    number: int = 0


class Bell:
    """Wakes those who sleep until it rings, the longest sleeper first."""

    def __init__(self):
        self._sleepers = deque()
        self._ringing = False

    def ring(self, everybody=False):
        if self._ringing and not everybody:
            return
        while self._sleepers:
            sleeper = self._sleepers.popleft()
            if not sleeper.done():
                self._ringing = True
                sleeper.set_result(None)
                if not everybody:
                    return

    async def sleep(self):
        sleeper = asyncio.get_running_loop().create_future()
        self._sleepers.append(sleeper)
        try:
            await sleeper
            self._ringing = False
        except asyncio.CancelledError:
            if not sleeper.cancelled():
                self._ringing = False
                self.ring()  # somebody else has to get up instead
            raise


class CallQueue:
    """Calls by urgency (1 first), then in order."""

    def __init__(self):
        self._heap = []
        self._numbers = count(1)
        self._withdrawn = set()
        self._bell = Bell()
        self._closed = False

    def __len__(self):
        return len(self._heap) - len(self._withdrawn)

    def put(self, call):
        if self._closed:
            raise QueueClosed("the queue is closed")
        call.number = next(self._numbers)
        heapq.heappush(self._heap, (call.urgency, call.number, call))
        self._bell.ring()
        return call.number

    def withdraw(self, number):
        """Takes a call back; returns whether it was still waiting."""
        waiting = any(entry[1] == number for entry in self._heap)
        if not waiting or number in self._withdrawn:
            return False
        self._withdrawn.add(number)
        return True

    def close(self):
        self._closed = True
        self._bell.ring(everybody=True)

    def _pop(self):
        """The next call that counts, else None."""
        while self._heap:
            _, number, call = heapq.heappop(self._heap)
            if number not in self._withdrawn:
                return call
            self._withdrawn.discard(number)
        return None

    async def take(self):
        while True:
            call = self._pop()
            if call is not None:
                return call
            if self._closed:
                raise QueueClosed("no more calls")
            await self._bell.sleep()
