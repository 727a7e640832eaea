"""What sellers owe for lots that are withdrawn."""

from collections import Counter


class Fees:
    """A tenth of the reserve, at least `least`."""

    def __init__(self, least=5):
        self._least = least
        self.owed = Counter()

    def charge(self, lot):
        self.owed[lot.owner] += max(self._least, lot.reserve // 10)

    def pay(self, owner, amount):
        if amount > self.owed[owner]:
            raise ValueError(f"{owner} owes {self.owed[owner]} only")
        self.owed[owner] -= amount

    def lines(self):
        return [f"{owner}: {amount}" for owner, amount in sorted(self.owed.items()) if amount]
