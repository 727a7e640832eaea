"""Payment schedules."""

from dataclasses import dataclass, replace
from datetime import date
from itertools import islice

from loans.calendar import add_months, days_between, due_dates
from loans.money import divide, show

YEAR = 365


@dataclass(frozen=True)
class Payment:
    due: date
    interest: int
    principal: int
    balance: int

    @property
    def amount(self):
        return self.interest + self.principal

    def __str__(self):
        return f"{self.due} {show(self.amount):>9} {show(self.interest):>8} {show(self.balance):>10}"


def begin(terms):
    """When the first period begins."""
    return add_months(terms.start, terms.grace)


def dates(terms):
    """The due dates, all on the day of the start where possible."""
    every = due_dates(terms.start, 1)
    monthly = list(islice(every, terms.grace + terms.step * terms.instalments))
    return monthly[terms.grace + terms.step - 1::terms.step]


def interest(balance, basis_points, days):
    return divide(balance * basis_points * days, 10_000 * YEAR)


def schedule(terms):
    """The payments: equal parts of the principal (the last takes the rest) and interest by days."""
    part = terms.principal // terms.instalments
    balance = terms.principal
    last = begin(terms)
    payments = []
    for number, due in enumerate(dates(terms), 1):
        principal = balance if number == terms.instalments else part
        paid = interest(balance, terms.basis_points, days_between(last, due))
        balance -= principal
        payments.append(Payment(due, paid, principal, balance))
        last = due
    return payments


def shift(terms, months):
    """The same loan with a longer grace period."""
    return replace(terms, grace=terms.grace + months)


def total_interest(payments):
    return sum(payment.interest for payment in payments)


def next_due(payments, today):
    """The first payment that is due today or later, or None."""
    return next((payment for payment in payments if payment.due >= today), None)
