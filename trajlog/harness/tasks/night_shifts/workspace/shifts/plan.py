"""Plans, one shift a line.

    2024-03-30 22:00-06:00 Ann ward       ends on the next day if not later than it starts
    2024-03-30 22:00 8h Ann ward          lasts 8 hours
    2024-10-27 02:30*-08:00 Bob gate      from the second 2:30 of the night
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from shifts.spans import Span

LINE = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d) (?P<start>\d\d:\d\d)(?P<again>\*?)"
    r"(?:-(?P<end>\d\d:\d\d)(?P<end_again>\*?)| (?P<hours>\d+(?:\.5)?)h) (?P<person>\S+) (?P<post>\S+)"
)


class PlanError(ValueError):
    """A line that is no shift."""


@dataclass(frozen=True)
class Shift:
    person: str
    post: str
    span: Span


def wall_time(day, clock):
    try:
        return datetime.fromisoformat(f"{day} {clock}")
    except ValueError:
        raise PlanError(f"no time: {day} {clock}") from None


def parse_shift(line, zone):
    parts = LINE.fullmatch(line.strip())
    if parts is None:
        raise PlanError(f"no shift: {line.strip()!r}")
    wall = wall_time(parts["day"], parts["start"])
    start = zone.moment(wall, bool(parts["again"]))
    if parts["hours"]:
        end = start + timedelta(hours=float(parts["hours"]))
    else:
        until = wall_time(parts["day"], parts["end"])
        is_second = bool(parts["end_again"])
        end = zone.moment(until, is_second)
        if end <= start:
            end = zone.moment(until + timedelta(days=1), is_second)
    return Shift(parts["person"], parts["post"], Span(start, end))


class Plan:
    def __init__(self, lines, zone):
        self.zone = zone
        shifts = [parse_shift(line, zone) for line in lines if line.strip() and not line.startswith("#")]
        self.shifts = sorted(shifts, key=lambda shift: (shift.span.start, shift.person))

    def people(self):
        return sorted({shift.person for shift in self.shifts})

    def of(self, person):
        return [shift for shift in self.shifts if shift.person == person]

    def show(self, shift):
        start, end = self.zone.local(shift.span.start), self.zone.local(shift.span.end)
        return f"{start:%a %d.%m. %H:%M}-{end:%H:%M} {shift.person} {shift.post}"
