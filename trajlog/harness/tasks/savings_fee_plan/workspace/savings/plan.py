"""A plan: a target, a monthly rate, interest and the fee."""

from savings.amortise import Spread, SpreadError
from savings.cents import permille


class PlanError(ValueError):
    """A change that the terms do not allow."""


class Plan:
    """`fee_rate` is in tenths of a per cent of the target, `interest` in tenths of a per cent a year."""

    def __init__(self, name, target, months, fee_rate=10, interest=12):
        self.name = name
        self.target = target
        self.fee_rate = fee_rate
        self.interest = interest
        self.balance = 0
        self.earned = 0
        self._numerator = 0
        self.spread = Spread(permille(target, fee_rate), months)
        self.rate = -(-target // months)

    @property
    def unpaid_interest(self):
        """Interest since it was last credited, in parts of 12000 of a cent."""
        return self._numerator

    @property
    def month(self):
        return self.spread.passed

    @property
    def months_left(self):
        return self.spread.months - self.spread.passed

    def advance(self):
        """One month: the rate comes in, the fee goes out, interest counts for the balance before."""
        self._numerator += self.balance * self.interest
        part = self.spread.charge()
        self.balance += self.rate - part
        if self.month % 12 == 0:
            self._credit()
        return part

    def _credit(self):
        interest = self._numerator // 12000
        self._numerator -= interest * 12000
        self.balance += interest
        self.earned += interest

    def raise_target(self, target):
        if target <= self.target:
            raise PlanError("a target can only be raised")
        if not self.months_left:
            raise PlanError(f"plan {self.name} has ended")
        further = permille(target, self.fee_rate) - permille(self.target, self.fee_rate)
        self.spread.change(further)
        self.target = target
        self._set_rate()

    def prolong(self, months):
        """Sets the months in all."""
        if months <= self.spread.months:
            raise PlanError("a plan can only become longer")
        self.spread.change(months=months)
        self._set_rate()

    def shorten(self, months):
        try:
            self.spread.change(months=months)
        except SpreadError as error:
            raise PlanError(f"plan {self.name}: {error}") from None
        self._set_rate()

    def _set_rate(self):
        missing = max(0, self.target - self.balance)
        self.rate = -(-missing // self.months_left)
