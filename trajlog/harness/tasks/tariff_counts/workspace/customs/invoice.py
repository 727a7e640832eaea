"""Duties of a consignment."""

from dataclasses import dataclass


@dataclass
class Item:
    code: str
    value_cents: int
    kilos: int = 0


def duties(desk, items):
    """A line per item and the sum."""
    lines, total = [], 0
    for item in items:
        cents = desk.duty(item.code, item.value_cents, item.kilos)
        total += cents
        lines.append(f"{item.code:<8} {item.value_cents / 100:>9.2f} {cents / 100:>8.2f}")
    return [*lines, f"{'duty':<18} {total / 100:>8.2f}"]
