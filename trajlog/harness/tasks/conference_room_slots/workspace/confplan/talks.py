"""Talks and times. A time is a pair of day number and minute of that day."""

from dataclasses import dataclass


@dataclass(eq=False)
class Talk:
    title: str
    speaker: str
    start: tuple
    minutes: int

    @property
    def end(self):
        day, minute = self.start
        return day, minute + self.minutes

    def covers(self, time):
        return self.start <= time < self.end

    def label(self):
        day, minute = self.start
        return f"d{day} {minute // 60:02}:{minute % 60:02} {self.title}"


def at(day, clock):
    """`at(1, "09:30")` is a time."""
    hours, minutes = clock.split(":")
    return day, 60 * int(hours) + int(minutes)
