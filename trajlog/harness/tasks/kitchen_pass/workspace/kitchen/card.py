"""The dishes of the house and the orders of the tables."""

import json
from dataclasses import dataclass
from pathlib import Path


class OrderError(ValueError):
    """An order for something that is not on the card."""


@dataclass(frozen=True)
class Dish:
    name: str
    station: str
    minutes: int


@dataclass
class Order:
    """`courses` are lists of dishes in the order of serving."""

    table: str
    courses: list


class Card:
    def __init__(self, dishes):
        self._dishes = {dish.name: dish for dish in dishes}

    @classmethod
    def load(cls, path=Path(__file__).with_name("card.json")):
        rows = json.loads(Path(path).read_text(encoding="utf-8"))
        return cls(Dish(name, **fields) for name, fields in rows.items())

    def stations(self):
        return sorted({dish.station for dish in self._dishes.values()})

    def order(self, table, text):
        """Read an order such as `bread, soup / steak / sorbet`."""
        courses = []
        for part in text.split("/"):
            names = [name.strip() for name in part.split(",") if name.strip()]
            unknown = [name for name in names if name not in self._dishes]
            if unknown:
                raise OrderError(f"not on the card: {', '.join(unknown)}")
            courses.append([self._dishes[name] for name in names])
        return Order(table, courses)
