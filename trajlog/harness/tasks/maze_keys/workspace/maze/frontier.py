"""What is still to be looked at."""

import heapq
from itertools import count


class Frontier:
    """Gives the cheapest first, and of equal ones the first that came."""

    def __init__(self):
        self._heap = []
        self._order = count()

    def __bool__(self):
        return bool(self._heap)

    def push(self, cost, step):
        heapq.heappush(self._heap, (cost, next(self._order), step))

    def pop(self):
        cost, _, step = heapq.heappop(self._heap)
        return cost, step
