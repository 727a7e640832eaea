"""Readings and their classes."""

from dataclasses import dataclass

CLASSES = ("low", "normal", "raised", "high", "very high")
UPPER = {"systolic": (100, 130, 140, 160), "diastolic": (60, 85, 90, 100)}


class DiaryError(ValueError):
    """A line of the diary that makes no sense."""


@dataclass(frozen=True)
class Reading:
    day: str
    minute: int
    systolic: int
    diastolic: int
    pulse: int | None = None

    def __post_init__(self):
        if not 0 < self.diastolic < self.systolic < 300:
            raise DiaryError(f"{self.day}: {self.systolic}/{self.diastolic} cannot be")

    @property
    def level(self):
        return max(level_of(self.systolic, "systolic"), level_of(self.diastolic, "diastolic"))

    @property
    def part_of_day(self):
        if self.minute < 12 * 60:
            return "morning"
        return "afternoon" if self.minute < 18 * 60 else "evening"


def level_of(value, kind):
    for level, upper in enumerate(UPPER[kind]):
        if value < upper:
            return level
    return len(UPPER[kind])
