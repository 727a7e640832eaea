"""What we have received, by invoice number."""

from decimal import Decimal

from invoices.wire import dumps, loads


class Ledger:
    def __init__(self):
        self._by_number = {}

    def receive(self, text):
        invoice = loads(text)
        self._by_number[invoice.number] = invoice
        return invoice

    def find(self, number):
        if number not in self._by_number:
            raise KeyError(f"no invoice {number}")
        return self._by_number[number]

    def pay(self, number, amount):
        """Book a payment; returns what is still due."""
        invoice = self.find(number)
        invoice.paid += Decimal(amount)
        return invoice.due()

    def forward(self, number):
        return dumps(self.find(number))

    def open_numbers(self):
        return sorted(number for number, invoice in self._by_number.items() if invoice.due() > 0)
