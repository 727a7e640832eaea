"""What patients pay. The insurance pays the rest."""

from dataclasses import dataclass

FREE_AGE = 18


@dataclass(frozen=True)
class Price:
    """Cents for one unit, and whether the drug is on the list of the insurance."""

    cents: int
    on_list: bool = True


class PriceList:
    def __init__(self, text=""):
        self._prices = {}
        for row in text.splitlines():
            words = row.split()
            if words:
                self._prices[words[0]] = Price(int(words[1]), "private" not in words[2:])

    def total(self, needed):
        """Cents for a dict of drug and units; drugs without a price are free."""
        return sum(self._price(drug).cents * units for drug, units in needed.items())

    def to_pay(self, needed, age=None):
        """The part of the patient: a tenth of each listed drug, from 5 to 10 euros and never over its price."""
        part = 0
        for drug, units in needed.items():
            price = self._price(drug)
            cents = price.cents * units
            if not price.on_list:
                part += cents
            elif age is None or age >= FREE_AGE:
                part += min(cents, max(500, min(1000, cents // 10)))
        return part

    def _price(self, drug):
        return self._prices.get(drug, Price(0))
