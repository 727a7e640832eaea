"""Readings as the gauges send them: `06:15 241` with the level in centimetres, `06:15 2.41m` in metres."""

from dataclasses import dataclass


class ReadingError(ValueError):
    """A message that is no reading."""


@dataclass(frozen=True)
class Reading:
    gauge: str
    minute: int
    level: int

    def clock(self):
        return f"{self.minute // 60:02}:{self.minute % 60:02}"


def decode(gauge, body):
    """A reading of the gauge, with its zero added."""
    clock, _, level = body.strip().partition(" ")
    try:
        hours, minutes = clock.split(":")
        centimetres = round(100 * float(level[:-1])) if level.endswith("m") else int(level)
        minute = 60 * int(hours) + int(minutes)
    except ValueError:
        raise ReadingError(f"{gauge.name}: {body!r}") from None
    return Reading(gauge.name, minute, centimetres + gauge.zero)
