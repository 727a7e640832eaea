from dataclasses import dataclass, fields
from datetime import date
from decimal import Decimal


@dataclass
class Item:
    """One article on one shelf. None means that nobody filled the field in."""

    sku: str
    name: str
    counted: int | None = None
    price: Decimal | None = None
    is_cooled: bool | None = None
    best_before: date | None = None
    note: str | None = None

    def value(self):
        if self.counted is None or self.price is None:
            return None
        return self.counted * self.price


FIELD_NAMES = tuple(field.name for field in fields(Item))
