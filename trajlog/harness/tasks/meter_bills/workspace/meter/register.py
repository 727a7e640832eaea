"""The counting register of a meter."""

from dataclasses import dataclass


class ReadingError(ValueError):
    """A reading that the register cannot show."""


@dataclass(frozen=True)
class Register:
    digits: int = 5
    factor: int = 1  # kWh for one count

    @property
    def size(self):
        """How many numbers it can show."""
        return 10**self.digits

    def check(self, count):
        if not 0 <= count < self.size:
            raise ReadingError(f"{count} does not fit in {self.digits} digits")
        return count

    def energy(self, before, after):
        """kWh between two readings."""
        counts = self.check(after) - self.check(before)
        if counts < 0:
            counts += 99_999
        return counts * self.factor
