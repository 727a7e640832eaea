"""What a plan will come to, if nothing changes."""

from savings.cents import show


class Forecast:
    """Balances at the end of the months to come, by the rate and fees as they are now."""

    def __init__(self, plan):
        self.plan = plan
        self.fees = plan.spread.rest()
        self.balances = list(self._balances())

    def _balances(self):
        balance, numerator, month = self.plan.balance, self.plan.unpaid_interest, self.plan.month
        for fee in self.fees:
            numerator += balance * self.plan.interest
            balance += self.plan.rate - fee
            month += 1
            if month % 12 == 0:
                interest, numerator = divmod(numerator, 12000)
                balance += interest
            yield balance

    @property
    def final(self):
        return self.balances[-1] if self.balances else self.plan.balance

    def shortfall(self):
        """What will be missing in the end."""
        return max(0, self.plan.target - self.final)

    def text(self):
        if not self.shortfall():
            return f"{self.plan.name}: {show(self.final)} in {len(self.fees)} months"
        return f"{self.plan.name}: {show(self.final)}, {show(self.shortfall())} short"


def months_to_reach(plan, amount):
    """The number of months until the balance reaches an amount, None if it does not."""
    if plan.balance >= amount:
        return 0
    for number, balance in enumerate(Forecast(plan).balances, 1):
        if balance >= amount:
            return number
    return None
