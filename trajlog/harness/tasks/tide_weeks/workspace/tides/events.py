"""High and low waters: `2024-12-30 04:12 H 3.81`."""

from dataclasses import dataclass
from datetime import datetime


class TideError(ValueError):
    """Input that makes no tide table."""


@dataclass(frozen=True)
class Event:
    when: datetime
    is_high: bool
    height: int  # centimetres

    @property
    def day(self):
        return self.when.date()

    def __str__(self):
        return f"{self.when:%H:%M} {'H' if self.is_high else 'L'} {self.height / 100:.2f}"


def parse_event(line):
    try:
        day, time, kind, height = line.split()
        if kind not in "HL":
            raise ValueError(kind)
        return Event(datetime.fromisoformat(f"{day} {time}"), kind == "H", round(float(height) * 100))
    except ValueError:
        raise TideError(f"no tide: {line.strip()!r}") from None


def read(lines):
    """Events by time; high and low water must alternate."""
    events = sorted((parse_event(line) for line in lines if line.strip()), key=lambda event: event.when)
    for event, following in zip(events, events[1:]):
        if event.is_high == following.is_high:
            raise TideError(f"two {'high' if event.is_high else 'low'} waters follow each other at {following.when}")
    return events
