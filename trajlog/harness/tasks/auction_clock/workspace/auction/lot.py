"""One thing that is for sale."""

from dataclasses import dataclass, field

OPEN = "open"
HELD = "held"
SOLD = "sold"
UNSOLD = "unsold"
WITHDRAWN = "withdrawn"

STEPS = ((100, 5), (500, 10), (2000, 50))


class BidRefused(Exception):
    """The bid does not count."""


def step(amount):
    """By how much the next bid has to be higher."""
    for below, by in STEPS:
        if amount < below:
            return by
    return 100


@dataclass
class Lot:
    number: int
    title: str
    start: int
    reserve: int = 0
    ends: int = 0
    state: str = "waiting"
    bids: list = field(default_factory=list)
    remaining: int = 0

    @property
    def price(self):
        return self.bids[-1][1] if self.bids else 0

    @property
    def leader(self):
        return self.bids[-1][0] if self.bids else None

    @property
    def least(self):
        """The lowest bid that counts."""
        return self.price + step(self.price) if self.bids else self.start

    def bid(self, who, amount):
        if self.state != OPEN:
            raise BidRefused(f"lot {self.number} is {self.state}")
        if who == self.leader:
            raise BidRefused(f"{who} leads already")
        if amount < self.least:
            raise BidRefused(f"lot {self.number} needs at least {self.least}")
        self.bids.append((who, amount))

    def settle(self):
        self.state = SOLD if self.bids and self.price >= self.reserve else UNSOLD
