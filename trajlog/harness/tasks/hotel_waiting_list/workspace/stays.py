"""Stays and requests for them."""

import itertools
from dataclasses import dataclass, field

CARDS = ("gold", "silver", "none")


@dataclass(frozen=True)
class Stay:
    """Nights are numbers of days; the guest leaves on `last + 1`."""

    kind: str
    first: int
    last: int

    def nights(self):
        return range(self.first, self.last + 1)


@dataclass(order=True, eq=True)
class Request:
    """Requests sort in the order in which they are served."""

    rank: int
    asked: int
    guest: str = field(compare=False)
    stay: Stay = field(compare=False)
    notes: list = field(default_factory=list, compare=False)

    @classmethod
    def make(cls, guest, card, stay, hour):
        return cls(CARDS.index(card), hour, guest, stay)

    def summary(self):
        return f"{self.guest}: {self.stay.kind} {self.stay.first}-{self.stay.last}"


def overlap(one, other):
    return one.kind == other.kind and one.first <= other.last and other.first <= one.last


def longest_run(stays):
    """The most nights in a row that any of the stays covers."""
    nights = sorted(set(itertools.chain.from_iterable(stay.nights() for stay in stays)))
    best = run = 0
    for number, night in enumerate(nights):
        run = run + 1 if number and nights[number - 1] == night - 1 else 1
        best = max(best, run)
    return best
