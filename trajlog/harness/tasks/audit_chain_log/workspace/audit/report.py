"""Reports over the whole log."""

from dataclasses import dataclass
from datetime import datetime, timezone
from itertools import groupby

DAY_SECONDS = 86_400


@dataclass(frozen=True)
class DayLine:
    day: str
    num_entries: int
    actors: tuple

    def __str__(self):
        return f"{self.day} {self.num_entries:>4} {', '.join(self.actors)}"


def _day_of(entry):
    return entry.when // DAY_SECONDS


def day_lines(entries):
    for day, group in groupby(entries, key=_day_of):
        members = list(group)
        name = datetime.fromtimestamp(day * DAY_SECONDS, timezone.utc).date().isoformat()
        yield DayLine(name, len(members), tuple(sorted({entry.actor for entry in members})))


def pauses(entries, min_seconds):
    """(number, seconds) of the entries before which nothing was written for so long."""
    last = None
    for entry in entries:
        if last is not None and entry.when - last >= min_seconds:
            yield entry.number, entry.when - last
        last = entry.when


def sizes(segments):
    """Characters and entries of every segment."""
    lines = []
    for segment in segments:
        state = "open" if segment.closed_with is None else "closed"
        lines.append(f"{segment.name} {state} {segment.num_entries}")
    return lines
