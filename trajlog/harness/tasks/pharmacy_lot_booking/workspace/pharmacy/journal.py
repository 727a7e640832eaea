"""The journal of movements, which the law asks for."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Movement:
    day: int
    lot: str
    units: int
    reason: str


class Journal:
    def __init__(self):
        self._movements = []

    def write(self, day, lot, units, reason):
        self._movements.append(Movement(day, lot, units, reason))

    def sum_of(self, lot):
        """Units that should be in the lot, after all movements."""
        return sum(movement.units for movement in self._movements if movement.lot == lot)

    def of_day(self, day):
        return [(movement.lot, movement.units, movement.reason) for movement in self._movements if movement.day == day]

    def reasons(self):
        """Units by reason."""
        totals = {}
        for movement in self._movements:
            totals[movement.reason] = totals.get(movement.reason, 0) + movement.units
        return totals
