"""What happens later, in seconds."""

import heapq
from itertools import count


class Plan:
    """Something that is planned; may be cancelled until it happens."""

    def __init__(self, second, action):
        self.second = second
        self.action = action
        self.cancelled = False

    def cancel(self):
        self.cancelled = True


class Schedule:
    def __init__(self):
        self.now = 0
        self._plans = []
        self._order = count()

    def after(self, seconds, action):
        if seconds <= 0:
            raise ValueError("only later things can be planned")
        plan = Plan(self.now + seconds, action)
        heapq.heappush(self._plans, (plan.second, next(self._order), plan))
        return plan

    def advance(self, seconds):
        end = self.now + seconds
        while self._plans and self._plans[0][0] <= end:
            self.now, _, plan = heapq.heappop(self._plans)
            if not plan.cancelled:
                plan.action()
        self.now = end

    def planned(self):
        return sorted(plan.second for _, _, plan in self._plans if not plan.cancelled)
