"""The plan of a day: which passes are recorded."""

from antenna.passes import GAP, Pass, grouped


class DayPlan:
    """Takes the highest passes that fit: `free` seconds are needed between two of them to turn the dish."""

    def __init__(self, free=60, count=3):
        self._free = free
        self._count = count
        self.chosen = []

    def choose(self, sightings, gap=GAP):
        found = [Pass(satellite, list(group)) for satellite, group in list(grouped(sightings, gap))]
        for candidate in sorted(found, key=lambda found: (-found.top, found.rise)):
            if len(self.chosen) == self._count:
                break
            if all(self._apart(candidate, other) for other in self.chosen):
                self.chosen.append(candidate)
        self.chosen.sort(key=lambda found: found.rise)
        return self

    def _apart(self, first, second):
        return first.rise - second.fall >= self._free or second.rise - first.fall >= self._free

    def lines(self):
        return [f"{number}. {found.line()}" for number, found in enumerate(self.chosen, 1)]
