"""Places on a flat map, in kilometres."""

import csv
from dataclasses import dataclass
from math import hypot


class PlaceError(ValueError):
    pass


@dataclass(frozen=True)
class Place:
    name: str
    kind: str
    country: str
    x: float
    y: float

    def distance(self, x, y):
        return hypot(self.x - x, self.y - y)

    def fits(self, kind, country):
        return kind in (None, self.kind) and country in (None, self.country)


def read(path):
    with open(path, newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    try:
        return [Place(row["name"], row["kind"], row["country"], float(row["x"]), float(row["y"])) for row in rows]
    except (KeyError, TypeError, ValueError) as error:
        raise PlaceError(f"{path}: {error}") from None
