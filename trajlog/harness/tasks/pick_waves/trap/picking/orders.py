"""Customer orders."""

from dataclasses import dataclass


@dataclass
class Line:
    sku: str
    units: int


class Order:
    def __init__(self, number, wanted):
        self.number = number
        self._lines = [Line(sku, units) for sku, units in wanted]

    def open_lines(self):
        """The lines that still want units."""
        return [line for line in self._lines if line.units]

    def open_units(self):
        return sum(line.units for line in self._lines)

    def reopen(self, sku, units):
        """Units that were planned are wanted again."""
        line = next(line for line in self._lines if line.sku == sku)
        line.units += units

    def confirm(self, sku, units):
        for line in self._lines:
            taken = min(units, line.units) if line.sku == sku else 0
            line.units -= taken
            units -= taken
        if units:
            raise ValueError(f"order {self.number} wants no more {sku}")
