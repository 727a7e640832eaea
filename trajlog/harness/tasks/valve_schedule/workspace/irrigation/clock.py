"""A queue of jobs for one day, in minutes since midnight."""

import heapq
from itertools import count


class DayClock:
    def __init__(self):
        self._jobs = []
        self._order = count()
        self.now = 0

    def at(self, minute, job):
        if minute < self.now:
            raise ValueError(f"minute {minute} is over")
        heapq.heappush(self._jobs, (minute, next(self._order), job))

    def delay(self, minutes):
        self._jobs = [(minute + minutes, order, job) for minute, order, job in self._jobs]
        heapq.heapify(self._jobs)

    def run_until(self, minute):
        while self._jobs and self._jobs[0][0] <= minute:
            self.now, _, job = heapq.heappop(self._jobs)
            job()
        self.now = minute
