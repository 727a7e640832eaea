"""Lanes of a tariff book: `from to rate minimum [divisor]`, one a line."""

from dataclasses import dataclass

from freight.fixed import Fixed


class TariffError(LookupError):
    """A lane that is not in the book."""


@dataclass(frozen=True)
class Lane:
    origin: str
    target: str
    rate: Fixed
    minimum: Fixed
    divisor: int = 5000


class Tariff:
    def __init__(self, fuel, lanes=(), extras=None):
        self.fuel = fuel
        self._lanes = {(lane.origin, lane.target): lane for lane in lanes}
        self._extras = dict(extras or {})

    @classmethod
    def parse(cls, text):
        fuel, lanes, extras = Fixed(0), [], {}
        for line in text.splitlines():
            fields = line.split("#")[0].split()
            if not fields:
                continue
            if fields[0] == "fuel":
                fuel = Fixed.parse(fields[1])
            elif fields[0] == "extra":
                extras[fields[1]] = Fixed.parse(fields[2])
            else:
                origin, target, rate, minimum, *divisor = fields
                lanes.append(Lane(origin, target, Fixed.parse(rate), Fixed.parse(minimum), *map(int, divisor)))
        return cls(fuel, lanes, extras)

    def lane(self, origin, target):
        try:
            return self._lanes[origin, target]
        except KeyError:
            raise TariffError(f"no lane from {origin} to {target}") from None

    def extra(self, name):
        if name not in self._extras:
            raise TariffError(f"no extra {name!r}")
        return self._extras[name]

    def cheapest(self, target):
        """The lane with the lowest rate to a place."""
        found = [lane for (_, to), lane in self._lanes.items() if to == target]
        if not found:
            raise TariffError(f"no lane to {target}")
        return min(found, key=lambda lane: (lane.rate, lane.origin))
