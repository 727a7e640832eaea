"""Tariffs: a fee per day and prices by blocks of energy."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Block:
    upper: int | None  # kWh per period, None for the last block
    price: int  # hundredths of a cent per kWh


@dataclass(frozen=True)
class Line:
    label: str
    energy: int
    cents: int


def cents(hundredths):
    return (hundredths + 50) // 100


class Tariff:
    def __init__(self, daily_fee, blocks):
        self.daily_fee = daily_fee  # hundredths of a cent
        self.blocks = list(blocks)
        bounds = [block.upper for block in self.blocks]
        if not bounds or bounds[-1] is not None or None in bounds[:-1] or bounds[:-1] != sorted(set(bounds[:-1])):
            raise ValueError(f"blocks do not rise: {bounds}")

    def lines(self, period):
        """The lines of a bill."""
        yield Line("fee", 0, cents(self.daily_fee * period.days))
        lower = 0
        for block in self.blocks:
            upper = period.energy if block.upper is None else min(block.upper, period.energy)
            if upper > lower:
                label = f"{lower}+" if block.upper is None else f"{lower}-{block.upper}"
                yield Line(label, upper - lower, cents((upper - lower) * block.price))
                lower = upper
