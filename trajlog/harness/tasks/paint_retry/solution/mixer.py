"""Mixes paint from base colours."""

from pumps import Jam

BASES = ("white", "black", "red", "yellow", "blue")


class OrderFailed(RuntimeError):
    """The paint could not be mixed."""


class Can:
    def __init__(self):
        self.contents = {}

    def pour(self, colour, ml):
        self.contents[colour] = self.contents.get(colour, 0) + ml

    @property
    def ml(self):
        return sum(self.contents.values())


class Mixer:
    def __init__(self, rack, attempts=3):
        self._rack = rack
        self._attempts = attempts
        self.delivered = []

    def mix(self, recipe, ml):
        """A can of paint; `recipe` has parts by base colour."""
        unknown = set(recipe) - set(BASES)
        if unknown:
            raise ValueError(f"no base colour {min(unknown)}")
        for _ in range(self._attempts):
            try:
                can = self._fill(recipe, ml)
            except Jam:
                continue
            self.delivered.append(can)
            return can
        raise OrderFailed(f"jammed {self._attempts} times")

    def _fill(self, recipe, ml):
        can = Can()
        with self._rack.open() as pump:
            for colour, part in recipe.items():
                can.pour(colour, pump.dose(colour, ml * part // sum(recipe.values())))
        return can
