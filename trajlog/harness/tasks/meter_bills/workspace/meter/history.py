"""The readings of a customer."""

from dataclasses import dataclass
from datetime import date

from meter.register import ReadingError, Register


@dataclass(frozen=True)
class Reading:
    day: date
    count: int


@dataclass(frozen=True)
class Period:
    """Energy used from `start` (inclusive) to `end` (exclusive)."""

    start: date
    end: date
    energy: int

    @property
    def days(self):
        return (self.end - self.start).days


class History:
    """Readings by day; between two of them lies a period. Exchanges of the meter do not end a period."""

    def __init__(self, customer, register=None):
        self.customer = customer
        self.register = register or Register()
        self._last = None
        self._carried = 0
        self.periods = []

    def read(self, day, count):
        reading = Reading(day, self.register.check(count))
        if self._last is not None:
            self._check_day(day)
            energy = self._carried + self.register.energy(self._last.count, count)
            self.periods.append(Period(self._start, day, energy))
        self._start = day
        self._carried = 0
        self._last = reading

    def exchange(self, day, last_count, register, first_count=0):
        """The meter is replaced; its energy so far counts for the period that is open."""
        if self._last is None:
            raise ReadingError("no reading before the exchange")
        self._check_day(day)
        self._carried += self.register.energy(self._last.count, last_count)
        self.register = register
        self._last = Reading(day, register.check(first_count))

    def _check_day(self, day):
        if day <= self._last.day:
            raise ReadingError(f"{day} is not after {self._last.day}")
