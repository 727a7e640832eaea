"""Parcels as text: `2x 60x40x40 12.5kg` or `80x60x50 900g`."""

import re
from dataclasses import dataclass

from freight.fixed import Fixed

PARCEL = re.compile(r"(?:(\d+)x\s+)?(\d+)x(\d+)x(\d+)\s+(\d+(?:\.\d+)?)\s*(kg|g)$")


class ParcelError(ValueError):
    """A parcel that is not understood, or too large."""


@dataclass
class Parcel:
    """Sides in centimetres, weight in grams."""

    sides: tuple
    grams: int

    def volume(self):
        length, width, height = self.sides
        return length * width * height

    def girth(self):
        """The longest side and once around the others."""
        *others, longest = sorted(self.sides)
        return longest + 2 * sum(others)


def parse_parcels(text, largest=600):
    """Parcels, one or several of a kind a line."""
    parcels = []
    for line in text.splitlines():
        if not line.strip():
            continue
        match = PARCEL.match(line.strip())
        if match is None:
            raise ParcelError(f"no parcel: {line.strip()!r}")
        count, *sides, weight, unit = match.groups()
        grams = (Fixed.parse(weight) * (1000 if unit == "kg" else 1)).rounded(0).units
        parcel = Parcel(tuple(map(int, sides)), grams)
        if parcel.girth() > largest:
            raise ParcelError(f"girth {parcel.girth()}, at most {largest}")
        parcels += [parcel] * int(count or 1)
    return parcels
