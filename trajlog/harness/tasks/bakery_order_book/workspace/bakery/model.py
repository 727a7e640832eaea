"""What is ordered at the bakery."""

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import IntEnum
from typing import NamedTuple


class Slot(IntEnum):
    """When an order is picked up."""

    EARLY = 1
    NOON = 2
    EVENING = 3

    @property
    def hours(self):
        return {1: "6-10", 2: "10-14", 3: "14-18"}[int(self)]


class Line(NamedTuple):
    article: str
    pieces: int
    price: Decimal

    def total(self):
        return self.pieces * self.price


class Standing(NamedTuple):
    """An order that comes again every week, as lines by weekday (0 is Monday)."""

    customer: str
    slot: Slot
    week: dict


@dataclass
class Order:
    customer: str
    day: date
    slot: Slot
    lines: list = field(default_factory=list)
    note: str = ""

    def total(self):
        return sum((line.total() for line in self.lines), Decimal(0))


@dataclass
class Book:
    orders: list = field(default_factory=list)
    standing: list = field(default_factory=list)

    def of_day(self, day):
        """Orders of the day and what the standing orders make of it, by slot."""
        found = [order for order in self.orders if order.day == day]
        for standing in self.standing:
            lines = standing.week.get(day.weekday())
            if lines:
                found.append(Order(standing.customer, day, standing.slot, lines, "standing order"))
        return sorted(found, key=lambda order: order.slot)
