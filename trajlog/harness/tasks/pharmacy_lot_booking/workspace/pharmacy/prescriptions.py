"""Prescriptions: `17 ada: ibu 20, amo 10` is number 17, for Ada, with two items."""

from dataclasses import dataclass


class PrescriptionError(ValueError):
    """Text that is no prescription."""


@dataclass(frozen=True)
class Item:
    drug: str
    units: int


@dataclass(frozen=True)
class Prescription:
    number: int
    patient: str
    items: tuple

    def needed(self):
        """Units by drug."""
        units = {}
        for item in self.items:
            units[item.drug] = units.get(item.drug, 0) + item.units
        return units


def parse(text):
    head, colon, tail = text.partition(":")
    words = head.split()
    if not colon or len(words) != 2 or not words[0].isdigit():
        raise PrescriptionError(f"cannot read {text!r}")
    items = []
    for part in tail.split(","):
        drug, _, units = part.strip().partition(" ")
        if not units.isdigit() or int(units) < 1:
            raise PrescriptionError(f"item {part.strip()!r}")
        items.append(Item(drug, int(units)))
    return Prescription(int(words[0]), words[1], tuple(items))
