"""The tax code: which rules are in force, and what they give."""

from contextlib import contextmanager

from taxes.rules import YEARS


class UnknownYear(LookupError):
    """There are no rules for that year."""


class TaxCode:
    def __init__(self, year, years=YEARS):
        self._years = years
        self._taxes = {}
        self.num_lookups = 0
        self.year = None
        self.rules = None
        self.use(year)

    def use(self, year):
        if year not in self._years:
            raise UnknownYear(year)
        self.year = year
        self.rules = self._years[year]

    @contextmanager
    def reform(self, **changes):
        """Changed rules for the length of the block."""
        year, rules = self.year, self.rules
        self.rules = rules.changed(**changes)
        try:
            yield self
        finally:
            self.year, self.rules = year, rules

    def tax(self, income):
        """Tax on an income, without reliefs."""
        key = self.rules, income
        if key not in self._taxes:
            self._taxes[key] = self._look_up(income)
        return self._taxes[key]

    def _look_up(self, income):
        self.num_lookups += 1
        taxed = max(0, income - self.rules.allowance)
        total = 0
        brackets = self.rules.brackets
        for number, (start, percent) in enumerate(brackets):
            stop = brackets[number + 1][0] if number + 1 < len(brackets) else taxed
            if taxed > start:
                total += (min(taxed, stop) - start) * percent
        tax = total // 100
        if self.rules.surcharge_from is not None and taxed > self.rules.surcharge_from:
            tax += tax * 5 // 100
        return tax
