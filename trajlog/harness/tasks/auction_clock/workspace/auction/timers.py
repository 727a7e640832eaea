"""Things that are to happen later. Time only passes when it is told to."""

import heapq
import itertools


class Timer:
    def __init__(self, when, call, args):
        self.when = when
        self.call = call
        self.args = args
        self.cancelled = False

    def cancel(self):
        self.cancelled = True


class Timers:
    def __init__(self):
        self.now = 0
        self._heap = []
        self._count = itertools.count()

    def call_at(self, when, call, *args):
        timer = Timer(max(when, self.now), call, args)
        heapq.heappush(self._heap, (timer.when, next(self._count), timer))
        return timer

    def call_later(self, seconds, call, *args):
        return self.call_at(self.now + seconds, call, *args)

    def advance(self, seconds):
        """Let time pass; calls are made at their moment, in order."""
        until = self.now + seconds
        while self._heap and self._heap[0][0] <= until:
            self.now, _, timer = heapq.heappop(self._heap)
            if not timer.cancelled:
                timer.call(*timer.args)
        self.now = until
