"""No more than so many bids in so many seconds."""

from collections import deque


class Limiter:
    def __init__(self, clock, count, seconds):
        self._clock = clock
        self._count = count
        self._seconds = seconds
        self._recent = {}

    def allow(self, who):
        now = self._clock()
        recent = self._recent.setdefault(who, deque())
        while recent and recent[0] <= now - self._seconds:
            recent.popleft()
        if len(recent) >= self._count:
            return False
        recent.append(now)
        return True
