"""The shares of one company."""

from collections import deque
from dataclasses import dataclass
from itertools import islice


class ShortPosition(ValueError):
    """More shares were to go than there are."""


@dataclass(frozen=True)
class Share:
    bought: str
    cost: int


def drain(queue):
    """Take from the left until nothing is left or the reader stops."""
    while queue:
        yield queue.popleft()


class Position:
    def __init__(self, symbol):
        self.symbol = symbol
        self._shares = deque()

    def __len__(self):
        return len(self._shares)

    @property
    def cost(self):
        return sum(share.cost for share in self._shares)

    def lots(self):
        """(date, number, cost of all) of shares bought together, oldest first."""
        lots = []
        for share in self._shares:
            if lots and lots[-1][0] == share.bought:
                lots[-1] = (share.bought, lots[-1][1] + 1, lots[-1][2] + share.cost)
            else:
                lots.append((share.bought, 1, share.cost))
        return lots

    def put(self, date, quantity, cost):
        self._shares.extend(Share(date, cost) for _ in range(quantity))

    def take(self, quantity):
        """The oldest `quantity` shares, which leave the position."""
        if quantity > len(self._shares):
            raise ShortPosition(f"short of {self.symbol}: {len(self._shares)} held, {quantity} wanted")
        return list(islice(drain(self._shares), quantity))

    def split(self, factor):
        """Every share becomes `factor` shares."""
        for _ in range(len(self._shares)):
            share = self._shares.popleft()
            each, over = divmod(share.cost, factor)
            self._shares.append(Share(share.bought, each + over))
            self._shares.extend(Share(share.bought, each) for _ in range(factor - 1))
