"""The shop: takes orders and keeps the book in a file."""

from datetime import date
from decimal import Decimal

from bakery.codec import dumps, loads
from bakery.model import Book, Line, Order, Slot, Standing

PRICES = {"roll": Decimal("0.45"), "bun": Decimal("1.20"), "loaf": Decimal("4.10"), "cake": Decimal("28")}


class Shop:
    def __init__(self, book=None):
        self.book = book or Book()

    @classmethod
    def load(cls, path):
        return cls(loads(path.read_text(encoding="utf-8")))

    def save(self, path):
        path.write_text(dumps(self.book), encoding="utf-8")

    def lines(self, wishes):
        """Lines of a text such as `20 roll, 1 cake`."""
        lines = []
        for wish in wishes.split(","):
            number, article = wish.split()
            if article not in PRICES:
                raise LookupError(f"no {article} here")
            lines.append(Line(article, int(number), PRICES[article]))
        return lines

    def take(self, customer, day, slot, wishes, note=""):
        order = Order(customer, date.fromisoformat(day), Slot[slot], self.lines(wishes), note)
        self.book.orders.append(order)
        return order

    def take_standing(self, customer, slot, week):
        """`week` is a dict of weekday and text of wishes."""
        days = {day: self.lines(wishes) for day, wishes in week.items()}
        self.book.standing.append(Standing(customer, Slot[slot], days))
