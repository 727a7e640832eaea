"""Statements of a plan, month by month."""

from dataclasses import dataclass

from savings.cents import parse_cents, show
from savings.plan import PlanError


@dataclass(frozen=True)
class Statement:
    fees: tuple
    balance: int
    earned: int

    @property
    def total_fee(self):
        return sum(self.fees)

    def lines(self):
        rows = []
        for number, fee in enumerate(self.fees, 1):
            if number == 1 or fee != self.fees[number - 2]:
                rows.append(f"from month {number}: {show(fee)}")
        return [*rows, f"fees {show(self.total_fee)}", f"balance {show(self.balance)}"]


def parse_events(text):
    """`12 raise 9,000` / `6 prolong 36` / `6 shorten 10`: after that month."""
    events = {}
    for line in text.splitlines():
        if not line.strip():
            continue
        month, action, value = line.split()
        if action not in ("raise", "prolong", "shorten"):
            raise PlanError(f"unknown change {action!r}")
        events.setdefault(int(month), []).append((action, value))
    return events


def apply(plan, action, value):
    if action == "raise":
        plan.raise_target(parse_cents(value))
    elif action == "prolong":
        plan.prolong(int(value))
    else:
        plan.shorten(int(value))


def statement(plan, events=""):
    """Runs a new plan to its end."""
    changes = parse_events(events)
    fees = []
    for action, value in changes.get(0, ()):
        apply(plan, action, value)
    while plan.months_left:
        fees.append(plan.advance())
        for action, value in changes.get(plan.month, ()):
            apply(plan, action, value)
    return Statement(tuple(fees), plan.balance, plan.earned)
