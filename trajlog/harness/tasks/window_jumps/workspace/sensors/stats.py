"""Numbers about a series of values."""


class Stats:
    def __init__(self, readings=()):
        self.count = 0
        self.total = 0.0
        self.low = self.high = None
        for reading in readings:
            self.add(reading.value)

    def add(self, value):
        self.count += 1
        self.total += value
        self.low = value if self.low is None else min(self.low, value)
        self.high = value if self.high is None else max(self.high, value)

    @property
    def mean(self):
        return self.total / self.count if self.count else None

    def __str__(self):
        if not self.count:
            return "no data"
        return f"{self.mean:.2f} ({self.low:g} to {self.high:g}, {self.count})"
