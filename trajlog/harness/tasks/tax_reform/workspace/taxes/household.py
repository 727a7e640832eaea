"""Who pays."""

from dataclasses import dataclass


@dataclass
class Household:
    name: str
    incomes: tuple
    children: int = 0
    splitting: bool = False

    def tax(self, code):
        if self.splitting and len(self.incomes) == 2:
            whole = 2 * code.tax(sum(self.incomes) // 2)
        else:
            whole = sum(map(code.tax, self.incomes))
        return max(0, whole - self.children * code.rules.child_relief)

    def rate(self, code):
        """Tax in percent of the income, with one decimal."""
        total = sum(self.incomes)
        return round(100 * self.tax(code) / total, 1) if total else 0.0
