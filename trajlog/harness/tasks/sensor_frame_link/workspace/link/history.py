"""What came in, for charts and alarms."""

from collections import defaultdict, deque
from dataclasses import dataclass


@dataclass(frozen=True)
class Alarm:
    probe: int
    sequence: int
    column: int
    value: float


class History:
    """Keeps the last `size` readings of every probe and checks them against limits."""

    def __init__(self, size=100):
        self._readings = defaultdict(lambda: deque(maxlen=size))
        self._limits = {}
        self.alarms = []

    def set_limits(self, probe, column, low, high):
        if low > high:
            raise ValueError(f"limits {low} to {high} leave nothing")
        self._limits[probe, column] = low, high

    def add(self, reading):
        self._readings[reading.probe].append(reading)
        for column, value in enumerate(reading.values):
            low, high = self._limits.get((reading.probe, column), (value, value))
            if not low <= value <= high:
                self.alarms.append(Alarm(reading.probe, reading.sequence, column, value))

    def column(self, probe, column):
        return [reading.values[column] for reading in self._readings[probe] if column < len(reading.values)]

    def summary(self, probe, column):
        """Count, smallest, mean and largest; None without readings."""
        values = self.column(probe, column)
        if not values:
            return None
        return len(values), min(values), round(sum(values) / len(values), 3), max(values)
