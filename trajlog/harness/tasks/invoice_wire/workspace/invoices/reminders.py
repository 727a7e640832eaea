"""Letters about what is still to be paid."""

from dataclasses import dataclass
from decimal import Decimal

FEES = (Decimal("0.00"), Decimal("2.50"), Decimal("7.50"))


@dataclass(frozen=True)
class Reminder:
    number: str
    buyer: str
    level: int
    due: Decimal

    def text(self):
        fee = FEES[self.level]
        fee_line = f" plus a fee of {fee}" if fee else ""
        return f"{self.buyer}: invoice {self.number}, {self.due} open{fee_line}"


class Reminders:
    """Reminds of every open invoice, each time one level higher."""

    def __init__(self, ledger):
        self._ledger = ledger
        self._levels = {}

    def next_round(self):
        open_numbers = self._ledger.open_numbers()
        self._levels = {number: level for number, level in self._levels.items() if number in open_numbers}
        letters = []
        for number in open_numbers:
            level = min(self._levels.get(number, -1) + 1, len(FEES) - 1)
            self._levels[number] = level
            invoice = self._ledger.find(number)
            letters.append(Reminder(number, invoice.buyer, level, invoice.due()))
        return letters

    def fees_of(self, buyer):
        """Fees of the last round."""
        levels = [level for number, level in self._levels.items() if self._ledger.find(number).buyer == buyer]
        return sum((FEES[level] for level in levels), Decimal("0.00"))
