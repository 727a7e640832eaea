"""What is ordered."""

from dataclasses import dataclass


class OrderError(ValueError):
    """An order that is not understood."""

    def __init__(self, message, column):
        super().__init__(f"{message} (column {column})")
        self.column = column


@dataclass(frozen=True)
class Item:
    count: int
    plant: str
    bed: int | None = None

    def row(self):
        return (self.count, self.plant, self.bed)


def collected(items):
    """Items of the same plant and bed together, in the order of first use."""
    counts = {}
    for item in items:
        key = (item.plant, item.bed)
        counts[key] = counts.get(key, 0) + item.count
    return [Item(count, plant, bed) for (plant, bed), count in counts.items()]
