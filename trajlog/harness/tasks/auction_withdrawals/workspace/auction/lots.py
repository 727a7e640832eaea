"""Lots of a sale."""

from dataclasses import dataclass, field


@dataclass(eq=False)
class Lot:
    number: int
    title: str
    owner: str
    reserve: int = 0
    set_name: str | None = None
    bids: list = field(default_factory=list)

    def __str__(self):
        return f"{self.number} {self.title}"

    @property
    def best_bid(self):
        return max(self.bids, key=lambda bid: bid[1], default=None)

    @property
    def is_sold(self):
        return self.best_bid is not None and self.best_bid[1] >= self.reserve


class Catalogue:
    """Lots in the order in which they are called."""

    def __init__(self, lots=()):
        self.lots = list(lots)

    def __iter__(self):
        return iter(self.lots)

    def __len__(self):
        return len(self.lots)

    def add(self, title, owner, reserve=0, set_name=None):
        number = max((lot.number for lot in self.lots), default=0) + 1
        self.lots.append(Lot(number, title, owner, reserve, set_name))
        return self

    def find(self, number):
        for lot in self.lots:
            if lot.number == number:
                return lot
        raise LookupError(f"no lot {number}")

    def in_set(self, name):
        return [lot for lot in self.lots if name is not None and lot.set_name == name]

    def from_the_end(self):
        """The lots, the last one first, so that lots can be removed meanwhile."""
        return reversed(self.lots)

    def remove(self, lot):
        self.lots.remove(lot)
