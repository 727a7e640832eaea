"""Positions and what came of them."""

from dataclasses import dataclass

from ledger.events import read
from ledger.money import show
from ledger.position import Position


@dataclass(frozen=True)
class Sale:
    date: str
    symbol: str
    quantity: int
    proceeds: int
    cost: int

    @property
    def gain(self):
        return self.proceeds - self.cost


class Book:
    def __init__(self):
        self.positions = {}
        self.sales = []
        self.given = []

    @classmethod
    def of(cls, text):
        book = cls()
        for event in read(text):
            book.apply(event)
        return book

    def position(self, symbol):
        return self.positions.setdefault(symbol, Position(symbol))

    def apply(self, event):
        getattr(self, "_" + event.kind)(self.position(event.symbol), event)

    def _buy(self, position, event):
        position.put(event.date, event.quantity, event.price)

    def _sell(self, position, event):
        shares = position.take(event.quantity)
        cost = sum(share.cost for share in shares)
        self.sales.append(Sale(event.date, event.symbol, event.quantity, event.price * event.quantity, cost))

    def _gift(self, position, event):
        for share in position.take(event.quantity):
            self.given.append((event.symbol, share.bought, share.cost))

    def _split(self, position, event):
        position.split(event.quantity)

    def gains(self):
        return [f"{sale.date} {sale.symbol} {show(sale.gain)}" for sale in self.sales]

    def holdings(self):
        return {symbol: (len(p), show(p.cost)) for symbol, p in self.positions.items() if len(p)}
