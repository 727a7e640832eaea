"""Lines of ingredients."""

import re
from dataclasses import dataclass
from fractions import Fraction

from kitchen.units import BASE, to_base

VULGAR = {"\u00bd": Fraction(1, 2), "\u00bc": Fraction(1, 4), "\u00be": Fraction(3, 4), "\u2153": Fraction(1, 3)}
AMOUNT = r"(?P<whole>\d+(?:\.\d+)?(?![\d/]))?\s*(?P<part>\d+/\d+|[\u00bd\u00bc\u00be\u2153])?"
UNIT = "|".join(BASE)
LINE = re.compile(rf"{AMOUNT}\s*(?:(?P<unit>{UNIT})\b\.?)?[\s,]*(?P<name>.*)", re.IGNORECASE)


class LineError(ValueError):
    """A line without a name or with an impossible amount."""


@dataclass(frozen=True)
class Ingredient:
    name: str
    amount: Fraction | None
    unit: str | None


def _amount(whole, part):
    if whole is None and part is None:
        return None
    try:
        extra = VULGAR[part] if part in VULGAR else Fraction(part or 0)
    except ZeroDivisionError:
        raise LineError(f"impossible amount {part}") from None
    return Fraction(whole or 0) + extra


def parse_line(line):
    match = LINE.fullmatch(line.strip())
    name = match["name"] if match else ""
    if not name:
        raise LineError(f"no name in {line!r}")
    unit = match["unit"].lower() if match["unit"] else None
    return Ingredient(name, _amount(match["whole"], match["part"]), unit)


def shopping_list(lines):
    """Sums by name and base unit: {name: [(amount, unit), ...]}."""
    sums = {}
    for item in map(parse_line, lines):
        amount, unit = to_base(item.amount or 0, item.unit)
        of_name = sums.setdefault(item.name, {})
        of_name[unit] = of_name.get(unit, 0) + amount
    return {name: [(str(amount), unit) for unit, amount in entry.items()] for name, entry in sums.items()}
