"""Orders and trades."""

from dataclasses import dataclass

BUY = "buy"
SELL = "sell"


class OrderError(ValueError):
    """An order that the book cannot take."""


@dataclass
class Order:
    number: str
    side: str
    price: int
    quantity: int
    open: int = -1

    def __post_init__(self):
        if self.side not in (BUY, SELL):
            raise OrderError(f"unknown side {self.side!r}")
        if self.price <= 0 or self.quantity <= 0:
            raise OrderError(f"order {self.number} needs a price and a quantity")
        if self.open < 0:
            self.open = self.quantity

    @property
    def filled(self):
        return self.quantity - self.open

    def crosses(self, other):
        """Whether this incoming order can trade with a resting one."""
        return self.price >= other.price if self.side == BUY else self.price <= other.price


@dataclass(frozen=True)
class Trade:
    buyer: str
    seller: str
    price: int
    quantity: int
