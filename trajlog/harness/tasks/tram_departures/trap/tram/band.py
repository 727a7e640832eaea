"""Bands of the day with a steady headway."""

from dataclasses import dataclass
from fractions import Fraction

from tram.clock import ClockError, parse_headway, parse_time, show, whole_minute


@dataclass(frozen=True)
class Band:
    begin: int
    end: int
    headway: Fraction

    @classmethod
    def parse(cls, text):
        """`6:00-9:00 every 7.5`"""
        hours, every, headway = text.partition(" every ")
        begin, dash, end = hours.partition("-")
        if not every or not dash:
            raise ClockError(f"no band: {text!r}")
        band = cls(parse_time(begin.strip()), parse_time(end.strip()), parse_headway(headway))
        if band.end <= band.begin:
            raise ClockError(f"band ends before it begins: {text!r}")
        return band

    def departures(self):
        """Whole minutes."""
        count, moment = 0, self.begin
        while moment < self.end:
            yield moment
            count += 1
            moment = whole_minute(self.begin + count * self.headway)

    def __str__(self):
        return f"{show(self.begin)}-{show(self.end)} every {self.headway}"
