"""Where readings are stored. `busy` numbers the deliveries that are refused, counted from 1."""

from flow import Busy


class Archive:
    def __init__(self, busy=()):
        self._busy = set(busy)
        self._deliveries = 0
        self.stored = []

    def __call__(self, reading):
        self._deliveries += 1
        if self._deliveries in self._busy:
            raise Busy
        self.stored.append((reading["station"], reading["minute"], reading["value"], reading["unit"],
                            tuple(reading["notes"])))

    def values(self, station):
        return [value for name, _, value, _, _ in self.stored if name == station]

    def notes(self):
        return [notes for *_, notes in self.stored]

    def mean(self, station):
        values = self.values(station)
        return round(sum(values) / len(values), 2) if values else None
