"""Split bills among people."""

from bill.currency import CURRENCIES, Currency
from bill.money import Money
from bill.party import Party

__all__ = ["CURRENCIES", "Currency", "Money", "Party"]
