"""People who share expenses."""

from bill.allocate import allocate
from bill.money import Money


class Party:
    def __init__(self, code, *names):
        self.code = code
        self.names = list(names)
        self._spent = {name: Money(0, code) for name in names}
        self._owed = {name: Money(0, code) for name in names}

    def _check(self, names):
        for name in names:
            if name not in self._spent:
                raise LookupError(f"{name} is not in the party")

    def pay(self, payer, amount, **weights):
        """`payer` spent `amount` for those with weights; without weights for all alike. Returns the shares."""
        self._check([payer, *weights])
        money = Money.parse(f"{amount} {self.code}")
        people = weights or dict.fromkeys(self.names, 1)
        shares = dict(zip(people, allocate(money.units, list(people.values()))))
        self._spent[payer] += money
        for name, units in shares.items():
            self._owed[name] += Money(units, self.code)
        return {name: str(Money(units, self.code)) for name, units in shares.items()}

    def balances(self):
        """What each person gets back (or, negative, has to pay)."""
        return {name: self._spent[name] - self._owed[name] for name in self.names}

    def settle(self):
        """Payments that even everything out, the largest debts first: (from, to, amount)."""
        balances = self.balances()
        nothing = Money(0, self.code)
        payments = []
        while True:
            poor = min(self.names, key=lambda name: balances[name])
            rich = max(self.names, key=lambda name: balances[name])
            amount = min(-balances[poor], balances[rich])
            if amount <= nothing:
                return payments
            balances[poor] += amount
            balances[rich] -= amount
            payments.append((poor, rich, str(amount)))
