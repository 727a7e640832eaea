"""quantity 0.4 - amounts with units.

`a * n`, `a + b` give new amounts. `a *= n`, `a += b` and `a.to(unit)` change `a` and are cheap.
"""

FACTORS = {
    "g": ("weight", 1.0),
    "kg": ("weight", 1000.0),
    "ml": ("volume", 1.0),
    "l": ("volume", 1000.0),
    "": ("count", 1.0),
}


class UnitError(ValueError):
    pass


class Quantity:
    __slots__ = ("amount", "unit")

    def __init__(self, amount, unit=""):
        if unit not in FACTORS:
            raise UnitError(f"unknown unit {unit!r}")
        self.amount = amount
        self.unit = unit

    @classmethod
    def parse(cls, text):
        digits = text.rstrip("abcdefghijklmnopqrstuvwxyz ")
        return cls(float(digits), text[len(digits):].strip())

    @property
    def dimension(self):
        return FACTORS[self.unit][0]

    def copy(self):
        return Quantity(self.amount, self.unit)

    def to(self, unit):
        if FACTORS[unit][0] != self.dimension:
            raise UnitError(f"{self} cannot be given in {unit!r}")
        self.amount *= FACTORS[self.unit][1] / FACTORS[unit][1]
        self.unit = unit
        return self

    def __imul__(self, factor):
        self.amount *= factor
        return self

    def __mul__(self, factor):
        made = self.copy()
        made *= factor
        return made

    def __iadd__(self, other):
        self.amount += other.copy().to(self.unit).amount
        return self

    def __add__(self, other):
        made = self.copy()
        made += other
        return made

    def __str__(self):
        return f"{self.amount:g} {self.unit}".rstrip()
