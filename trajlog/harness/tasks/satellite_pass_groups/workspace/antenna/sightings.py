"""Lines of the antenna's log: seconds of the day, satellite, elevation and strength."""

import csv
from dataclasses import dataclass


class LogError(ValueError):
    """A line that is no sighting."""


@dataclass(frozen=True)
class Sighting:
    second: int
    satellite: str
    elevation: float
    strength: int = 0


def clock(second):
    return f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"


def parse_clock(text):
    try:
        hours, minutes, seconds = map(int, text.split(":"))
    except ValueError:
        raise LogError(f"bad time {text!r}") from None
    return hours * 3600 + minutes * 60 + seconds


def read_log(lines):
    """Sightings of CSV lines `time,satellite,elevation,strength`, one by one."""
    for number, row in enumerate(csv.reader(lines), 1):
        if not row or row[0].startswith("#"):
            continue
        if len(row) != 4:
            raise LogError(f"line {number}: {len(row)} columns")
        yield Sighting(parse_clock(row[0]), row[1].strip(), float(row[2]), int(row[3]))
