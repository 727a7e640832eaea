"""Mean and deviation, value by value and part by part."""

from math import sqrt


class Stats:
    """`squares` is the sum of the squared distances from the mean."""

    def __init__(self, values=()):
        self.count = 0
        self.mean = 0.0
        self.squares = 0.0
        self.low = None
        self.high = None
        for value in values:
            self.add(value)

    def add(self, value):
        self.count += 1
        delta = value - self.mean
        self.mean += delta / self.count
        self.squares += delta * (value - self.mean)
        self._reach(value, value)

    def merge(self, other):
        """Add all values of another part."""
        if not other.count:
            return
        delta = other.mean - self.mean
        self.count += other.count
        self.mean += delta * other.count / self.count
        self.squares += other.squares + delta * delta * self.count * other.count / self.count
        self._reach(other.low, other.high)

    def _reach(self, low, high):
        self.low = low if self.low is None else min(self.low, low)
        self.high = high if self.high is None else max(self.high, high)

    @property
    def variance(self):
        return self.squares / self.count if self.count else 0.0

    @property
    def deviation(self):
        return sqrt(self.variance)


def merged(parts):
    """Stats of all parts together."""
    total = Stats()
    for part in parts:
        total.merge(part)
    return total
