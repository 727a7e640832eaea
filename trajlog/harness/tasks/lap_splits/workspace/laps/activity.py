"""Laps of an activity, as the watch exports them."""

import csv
from dataclasses import dataclass, field
from datetime import timedelta

from laps.clock import parse


class ExportError(ValueError):
    """The export cannot be read."""


@dataclass(frozen=True)
class Lap:
    metres: int
    duration: timedelta
    is_rest: bool = False

    @property
    def pace(self):
        """Time per kilometre."""
        return self.duration * 1000 / self.metres


@dataclass
class Activity:
    name: str
    laps: list = field(default_factory=list)

    @property
    def moving(self):
        return [lap for lap in self.laps if not lap.is_rest]

    @property
    def metres(self):
        return sum(lap.metres for lap in self.moving)

    @property
    def duration(self):
        return sum((lap.duration for lap in self.laps), timedelta(0))

    def best(self):
        """The lap with the best pace; the first one on a tie."""
        return min(self.moving, key=lambda lap: lap.pace)


def read(lines):
    """The first line names the activity; then `metres,duration[,rest]`."""
    rows = csv.reader(lines)
    activity = Activity(next(rows)[0])
    for number, row in enumerate(rows, 2):
        if len(row) < 2 or not row[0].isdigit():
            raise ExportError(f"line {number}: {','.join(row)}")
        is_rest = row[2:] == ["rest"]
        if not is_rest and row[0] == "0":
            raise ExportError(f"line {number}: a lap of 0 m")
        activity.laps.append(Lap(int(row[0]), parse(row[1]), is_rest))
    return activity
