"""Quotes for shipments."""

from dataclasses import dataclass, field

from freight.fixed import ZERO, Fixed
from freight.parcels import Parcel, parse_parcels


@dataclass
class Quote:
    kilos: Fixed
    lines: list = field(default_factory=list)

    def add(self, name, amount):
        self.lines.append((name, amount.rounded(2)))

    def total(self):
        return sum((amount for _, amount in self.lines), ZERO)

    def text(self):
        rows = [f"{name:<10}{amount!s:>10}" for name, amount in [*self.lines, ("total", self.total())]]
        return "\n".join([f"{self.kilos} kg", *rows])


def chargeable(parcels, divisor):
    """The larger of weight and volume weight, in started half kilos."""
    grams = sum(parcel.grams for parcel in parcels)
    volume = sum(parcel.volume() for parcel in parcels) * 1000 // divisor
    halves = -(-max(grams, volume) // 500)
    return Fixed(halves * 5, 1)


def quote(tariff, origin, target, parcels, extras=()):
    lane = tariff.lane(origin, target)
    result = Quote(chargeable(parcels, lane.divisor))
    freight = max(lane.rate * result.kilos, lane.minimum)
    result.add("freight", freight)
    result.add("fuel", result.lines[0][1].percent(tariff.fuel))
    for name in extras:
        result.add(name, tariff.extra(name))
    return result


def quote_text(tariff, origin, target, text):
    """A quote for parcels as text."""
    return quote(tariff, origin, target, parse_parcels(text)).text()


def lightest(parcels) -> Parcel:
    return min(parcels, key=lambda parcel: (parcel.grams, parcel.volume()))


def compare(tariff, target, parcels):
    """Totals of all lanes to a place, cheapest first."""
    totals = []
    for origin, to in sorted(tariff._lanes):
        if to == target:
            totals.append((quote(tariff, origin, to, parcels).total(), origin))
    return [(origin, str(total)) for total, origin in sorted(totals)]
