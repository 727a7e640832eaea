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


class InvoiceError(ValueError):
    """The invoice cannot be read."""


def read_items(text):
    """Items from lines such as `080510; 100.00; 20`: code, value, and kilos if there are any."""
    items = []
    for number, row in enumerate(text.splitlines(), start=1):
        if not row.strip():
            continue
        code, *numbers = (part.strip() for part in row.split(";"))
        try:
            value, kilos = float(numbers[0]), int(numbers[1]) if len(numbers) > 1 else 0
        except (IndexError, ValueError):
            raise InvoiceError(f"line {number}: {row.strip()!r}") from None
        items.append(Item(code.replace(" ", ""), round(value * 100), kilos))
    return items


def by_chapter(items):
    """The value of the items by chapter, in cents."""
    values = {}
    for item in items:
        values[item.code[:2]] = values.get(item.code[:2], 0) + item.value_cents
    return dict(sorted(values.items()))
