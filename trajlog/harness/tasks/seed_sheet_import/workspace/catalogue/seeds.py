"""Seeds, and what the shop asks about them."""

from dataclasses import dataclass

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


@dataclass(frozen=True)
class Seed:
    code: str
    name: str
    cents: int
    sow_from: int
    sow_to: int
    description: str = ""

    def can_be_sown(self, month):
        """Whether the sowing time, which may go over the turn of the year, contains the month."""
        number = MONTHS.index(month)
        if self.sow_from <= self.sow_to:
            return self.sow_from <= number <= self.sow_to
        return number >= self.sow_from or number <= self.sow_to

    def label(self, width=40):
        """Text of the paper bag: name, then the description line by line."""
        lines = [self.name.upper()]
        lines += [line[:width] for line in self.description.split("\n") if line.strip()]
        return lines


class Catalogue:
    def __init__(self, seeds):
        self._seeds = {}
        for seed in seeds:
            if seed.code in self._seeds:
                raise ValueError(f"code {seed.code} is used twice")
            self._seeds[seed.code] = seed

    def __len__(self):
        return len(self._seeds)

    def __getitem__(self, code):
        return self._seeds[code]

    def sown_in(self, month):
        return [seed.code for seed in self._seeds.values() if seed.can_be_sown(month)]

    def price(self, order):
        """Cents for a dict of code and number of bags; ten of a kind cost nine."""
        total = 0
        for code, bags in order.items():
            total += self._seeds[code].cents * (bags - bags // 10)
        return total
