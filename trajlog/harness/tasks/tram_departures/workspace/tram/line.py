"""A line with its bands."""

from fractions import Fraction

from tram.band import Band
from tram.clock import ClockError, show


class Line:
    def __init__(self, number, bands, round_trip):
        self.number = number
        self.bands = sorted(bands, key=lambda band: band.begin)
        self.round_trip = round_trip
        for before, after in zip(self.bands, self.bands[1:], strict=False):
            if after.begin < before.end:
                raise ClockError(f"line {number}: {before} and {after} overlap")

    @classmethod
    def parse(cls, text):
        """A head `line 7, 48 min round trip`, then a band a line."""
        head, *rest = [line.strip() for line in text.strip().splitlines()]
        words = head.replace(",", " ").split()
        if words[0] != "line" or "min" not in words:
            raise ClockError(f"no line: {head!r}")
        return cls(words[1], [Band.parse(line) for line in rest if line], int(words[2]))

    def departures(self):
        return [minute for band in self.bands for minute in band.departures()]

    def next_after(self, minute):
        """First departure at or after a minute, None after the last one."""
        return next((found for found in self.departures() if found >= minute), None)

    def gaps(self):
        """Minutes between departures to how often they occur."""
        found = {}
        times = self.departures()
        for before, after in zip(times, times[1:], strict=False):
            found[after - before] = found.get(after - before, 0) + 1
        return dict(sorted(found.items()))

    def vehicles(self):
        """Most trams that are out at the same time."""
        times = self.departures()
        most = 0
        for index, begin in enumerate(times):
            out = sum(1 for other in times[: index + 1] if other + self.round_trip > begin)
            most = max(most, out)
        return most

    def mean_wait(self, begin, end):
        """Mean wait of passengers that come evenly in [begin, end), in minutes."""
        total = 0
        for minute in range(begin, end):
            found = self.next_after(minute)
            if found is None:
                raise ClockError(f"no tram after {show(minute)}")
            total += found - minute
        return Fraction(total, end - begin)


def hour_rows(line):
    """Hour to the minutes past it, as on the post at the stop."""
    rows = {}
    for minute in line.departures():
        rows.setdefault(minute // 60, []).append(minute % 60)
    return rows


def poster(line):
    rows = hour_rows(line).items()
    return "\n".join(f"{hour:>2} | " + " ".join(f"{minute:02}" for minute in minutes) for hour, minutes in rows)
