"""The book of a day: all readings by gauge."""


class Book:
    def __init__(self):
        self._readings = {}

    def enter(self, reading):
        self._readings.setdefault(reading.gauge, []).append(reading)

    def readings(self, gauge):
        return list(self._readings.get(gauge, []))

    def levels(self, gauge):
        return [reading.level for reading in self._readings.get(gauge, [])]

    def current(self, gauge):
        readings = self._readings.get(gauge)
        return readings[-1] if readings else None

    def mean(self, gauge):
        levels = self.levels(gauge)
        return round(sum(levels) / len(levels), 1) if levels else None

    def peak(self, gauge):
        """The first reading with the highest level."""
        return max(self._readings.get(gauge, []), key=lambda reading: reading.level, default=None)

    def trend(self, gauge, readings=3):
        """`+`, `-` or `=`: how the last readings compare."""
        levels = self.levels(gauge)[-readings:]
        if len(levels) < 2 or levels[-1] == levels[0]:
            return "="
        return "+" if levels[-1] > levels[0] else "-"
