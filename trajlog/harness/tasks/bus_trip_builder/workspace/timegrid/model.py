"""Trips as they come out of a builder. Times are half minutes since midnight."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Call:
    stop: str
    arrives: int
    departs: int


@dataclass(frozen=True)
class Trip:
    line: str
    calls: tuple
    days: frozenset
    holidays: bool

    def stops(self):
        return [call.stop for call in self.calls]

    def arrival(self, stop):
        for call in self.calls:
            if call.stop == stop:
                return clock(call.arrives)
        return None

    def runs(self, day, is_holiday=False):
        return day in self.days and (self.holidays or not is_holiday)


def clock(halves):
    """`06:10`, with a `+` for another half minute. Times after midnight count on: `24:05`."""
    minutes, half = divmod(halves, 2)
    return f"{minutes // 60:02}:{minutes % 60:02}" + "+" * half
