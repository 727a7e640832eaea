"""Objects into plain rows that JSON can hold.

Every object becomes one row `[kind, fields]`; wherever it is used stands `{"row": number}`.
"""

from routes.model import Leg, Place, Plan, Tour


class PackError(TypeError):
    """A value that the archive has no form for."""


def place_fields(place):
    return {"name": place.name, "x": place.x, "y": place.y, "next_hint": place.next_hint}


def leg_fields(leg):
    return {"origin": leg.origin, "target": leg.target, "minutes": leg.minutes}


def tour_fields(tour):
    return {
        "driver": tour.driver,
        "stops": tour.stops,
        "slack": tour.slack,
        "planned": tour.legs(),
    }


def plan_fields(plan):
    return {"day": plan.day, "tours": plan.tours}


FIELDS = {
    Place: ("place", place_fields),
    Leg: ("leg", leg_fields),
    Tour: ("tour", tour_fields),
    Plan: ("plan", plan_fields),
}


class Packer:
    """Packs one root and whatever hangs on it."""

    def __init__(self):
        self.rows = []
        self._numbers = {}

    def pack(self, value):
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, (list, tuple)):
            return [self.pack(item) for item in value]
        if type(value) not in FIELDS:
            raise PackError(f"cannot pack a {type(value).__name__}")
        return {"row": self._row(value)}

    def _row(self, value):
        known = self._numbers.get(repr(value))
        if known is not None:
            return known
        number = len(self.rows)
        self._numbers[repr(value)] = number
        self.rows.append(None)
        kind, fields_of = FIELDS[type(value)]
        fields = {name: self.pack(item) for name, item in fields_of(value).items()}
        self.rows[number] = [kind, fields]
        return number
