"""Plans, tours, legs and places."""

from dataclasses import dataclass, field


@dataclass
class Place:
    name: str
    x: int
    y: int
    next_hint: "Place | None" = None

    def minutes_to(self, other):
        return abs(self.x - other.x) + abs(self.y - other.y)


@dataclass
class Leg:
    origin: Place
    target: Place
    minutes: int


@dataclass
class Tour:
    """Stops in driving order. `slack` are extra minutes for every leg."""

    driver: str
    stops: list
    slack: int = 0
    planned: list = field(default_factory=list)

    def legs(self):
        """The legs as planned, else computed from the stops."""
        if self.planned:
            return self.planned
        pairs = zip(self.stops, self.stops[1:], strict=False)
        return [Leg(a, b, a.minutes_to(b) + self.slack) for a, b in pairs]

    def minutes(self):
        return sum(leg.minutes for leg in self.legs())


@dataclass
class Plan:
    day: str
    tours: list

    def minutes(self):
        return sum(tour.minutes() for tour in self.tours)

    def tour_of(self, driver):
        for tour in self.tours:
            if tour.driver == driver:
                return tour
        raise LookupError(f"no tour for {driver!r} on {self.day}")

    def places(self):
        """Every place of the plan once, in the order of first use."""
        seen = []
        for tour in self.tours:
            for stop in tour.stops:
                if not any(stop is known for known in seen):
                    seen.append(stop)
        return seen
