"""Spreading a fee over months."""


class SpreadError(ValueError):
    """More months than a spread has, or fewer than have passed."""


class Spread:
    """A fee in cents over a number of months.

    `base` and `start` are what was charged, and the months that had passed, when the terms last changed.
    """

    def __init__(self, fee, months):
        if months <= 0:
            raise SpreadError("a spread has months")
        self.fee = fee
        self.months = months
        self.passed = 0
        self.charged = 0
        self._base = 0
        self._start = 0

    @property
    def open(self):
        return self.fee - self.charged

    def charge(self):
        """The part of the next month."""
        if self.passed == self.months:
            raise SpreadError(f"all {self.months} months have passed")
        self.passed += 1
        due = self._base + (self.fee - self._base) * (self.passed - self._start) // (self.months - self._start)
        part = due - self.charged
        self.charged = due
        return part

    def change(self, further=0, months=None):
        """Adds to the fee and perhaps sets another number of months in all."""
        months = self.months if months is None else months
        if months <= self.passed:
            raise SpreadError(f"{self.passed} months have passed")
        self.fee += further
        self.months = months
        self._base = self.charged
        self._start = self.passed

    def rest(self):
        """The parts of the months to come, without charging them."""
        copy = Spread(self.fee, self.months)
        copy.__dict__.update(self.__dict__)
        return [copy.charge() for _ in range(self.months - self.passed)]
