"""One entry of a log."""

import re
from dataclasses import dataclass

from shiplog.columns import STANDARD, expand
from shiplog.marks import split_marks

ANGLE = re.compile(r"(\d{1,3})-(\d\d)([NSEW])$")


class LogError(ValueError):
    """A line that is no entry."""


@dataclass(frozen=True)
class Entry:
    minute: int
    latitude: int | None
    longitude: int | None
    course: int | None
    speed: float | None
    remark: str = ""
    marks: frozenset = frozenset()
    quotes: int = 0

    @property
    def time(self):
        return f"{self.minute // 60:02}:{self.minute % 60:02}"


def parse_time(text):
    match = re.fullmatch(r"(\d\d):?(\d\d)", text)
    if match is None:
        raise LogError(f"no time: {text!r}")
    return int(match[1]) * 60 + int(match[2])


def parse_angle(text):
    """Minutes of arc, negative for south and west."""
    match = ANGLE.match(text)
    if match is None:
        raise LogError(f"no position: {text!r}")
    minutes = int(match[1]) * 60 + int(match[2])
    return -minutes if match[3] in "SW" else minutes


def number(kind, text):
    try:
        return kind(text) if text else None
    except ValueError:
        raise LogError(f"no number: {text!r}") from None


def parse_entry(line, layout=STANDARD):
    marks, quotes, rest = split_marks(line)
    taken = len(line) - len(rest)
    fields = layout.cut(" " * taken + expand(rest, taken))
    latitude = longitude = None
    if fields["position"]:
        parts = fields["position"].split()
        if len(parts) != 2:
            raise LogError(f"no position: {fields['position']!r}")
        latitude, longitude = map(parse_angle, parts)
    course = number(int, fields["course"])
    speed = number(float, fields["speed"])
    minute = parse_time(fields["time"])
    return Entry(minute, latitude, longitude, course, speed, fields["remark"], frozenset(marks), quotes)
