"""Loans of a customer, and what was paid."""

from dataclasses import dataclass, field
from datetime import date, timedelta

from loans.money import show
from loans.schedule import next_due, schedule
from loans.terms import Terms


class PaymentError(ValueError):
    pass


@dataclass
class Loan:
    name: str
    terms: Terms
    paid: list = field(default_factory=list)  # of (date, cents)

    @property
    def payments(self):
        return schedule(self.terms)

    def pay(self, day, cents):
        if cents <= 0:
            raise PaymentError(f"{show(cents)} on {day}")
        if self.paid and day < self.paid[-1][0]:
            raise PaymentError(f"{day} is before {self.paid[-1][0]}")
        self.paid.append((day, cents))

    def arrears(self, today):
        """Cents that were due up to today and are not paid; below zero if more was paid."""
        due = sum(payment.amount for payment in self.payments if payment.due <= today)
        return due - sum(cents for day, cents in self.paid if day <= today)

    def days_late(self, today):
        """Days since the first instalment that is not paid in full was due."""
        left = sum(cents for day, cents in self.paid if day <= today)
        for payment in self.payments:
            left -= payment.amount
            if left < 0:
                return max(0, (today - payment.due).days)
        return 0


class Book:
    def __init__(self):
        self._loans = {}

    def open(self, name, text):
        self._loans[name] = Loan(name, Terms.parse(text))
        return self._loans[name]

    def agenda(self, today):
        """Lines on what is due next, by date, with what should have been paid before."""
        found = []
        yesterday = today - timedelta(days=1)
        for loan in self._loans.values():
            payment = next_due(loan.payments, today)
            if payment is not None:
                found.append((payment.due, loan.name, payment.amount + max(0, loan.arrears(yesterday))))
        return [f"{due} {name} {show(cents)}" for due, name, cents in sorted(found)]

    def late(self, today):
        return {loan.name: loan.days_late(today) for loan in self._loans.values() if loan.days_late(today)}


def parse_day(text):
    return date.fromisoformat(text)
