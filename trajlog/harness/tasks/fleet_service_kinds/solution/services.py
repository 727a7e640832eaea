"""Kinds of maintenance work."""

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, eq=False)
class Interval:
    """When work is due again: after so many kilometres or so many months, whatever comes first."""

    km: int | None = None
    months: int | None = None

    def is_over(self, km, months):
        """Whether the work is due, so many kilometres and months after it was done last."""
        return (self.km is not None and km >= self.km) or (self.months is not None and months >= self.months)

    def text(self):
        parts = []
        if self.km is not None:
            parts.append(f"{self.km} km")
        if self.months is not None:
            parts.append(f"{self.months} months")
        return " or ".join(parts)


class Service(Enum):
    OIL = Interval(km=15_000, months=12)
    TYRES = Interval(months=24)
    AIR_FILTER = Interval(km=30_000)
    CABIN_FILTER = Interval(km=15_000, months=12)
    BRAKE_FLUID = Interval(months=24)
    TIMING_BELT = Interval(km=120_000, months=72)

    @property
    def key(self):
        return self.name.lower()

    @property
    def label(self):
        return self.name.replace("_", " ").capitalize()

    @classmethod
    def of_key(cls, key):
        try:
            return cls[key.upper()]
        except KeyError:
            raise ValueError(f"unknown work {key!r}") from None
