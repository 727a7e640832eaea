"""Spans of time, half open."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

MINUTE = timedelta(minutes=1)


@dataclass(frozen=True)
class Span:
    """From `start` (inclusive) to `end` (exclusive)."""

    start: datetime
    end: datetime

    @property
    def minutes(self):
        return (self.end.astimezone(UTC) - self.start.astimezone(UTC)) // MINUTE

    def shared(self, other):
        """Minutes that both have in common."""
        start, end = max(self.start, other.start), min(self.end, other.end)
        return max(0, (end.astimezone(UTC) - start.astimezone(UTC)) // MINUTE)

    def overlaps(self, other):
        return self.shared(other) > 0

    def gap(self, later):
        """Minutes from the end of this one to the start of a later one."""
        return (later.start.astimezone(UTC) - self.end.astimezone(UTC)) // MINUTE


def show_minutes(minutes):
    """`7:30`"""
    return f"{minutes // 60}:{minutes % 60:02d}"
