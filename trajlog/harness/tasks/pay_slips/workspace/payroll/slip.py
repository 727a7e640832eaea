"""Put a slip together."""

from payroll.contract import read_contract
from payroll.hours import split_overtime, weeks
from payroll.money import part, show
from payroll.tax import tax


class Slip:
    def __init__(self, name):
        self.name = name
        self.lines = []

    def add(self, label, amount):
        self.lines.append((label, amount))
        return amount

    @property
    def net(self):
        return sum(amount for _, amount in self.lines)

    def __str__(self):
        rows = [*self.lines, ("net", self.net)]
        return "\n".join([self.name, *(f"{label:<12}{show(amount):>10}" for label, amount in rows)])


def make_slip(contract_text, sheet_lines):
    contract = read_contract(contract_text)
    slip = Slip(contract.name)
    usual, overtime = split_overtime(weeks(sheet_lines))
    gross = slip.add("hours", part(contract.rate, usual, 60))
    if overtime:
        gross += slip.add("overtime", part(contract.rate, overtime * 3, 120))
    slip.add("tax", -tax(gross))
    for label, amount in contract.extras.items():
        slip.add(label, amount)
    return slip
