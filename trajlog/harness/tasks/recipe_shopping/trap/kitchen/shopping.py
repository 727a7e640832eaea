"""Meals and what to buy for them."""

from vendor.quantity import UnitError

BASE = {"weight": "g", "volume": "ml", "count": ""}


class Plan:
    def __init__(self, book):
        self._book = book
        self._meals = []

    def add(self, title, servings):
        self._meals.append((self._book.find(title), servings))

    def totals(self):
        totals = {}
        for recipe, servings in self._meals:
            for name, quantity in recipe.amounts(servings):
                if name not in totals:
                    totals[name] = quantity
                    continue
                if quantity.dimension != totals[name].dimension:
                    raise UnitError(f"{name}: {totals[name]} and {quantity} do not add up")
                if quantity.unit != totals[name].unit:
                    totals[name].to(BASE[quantity.dimension])
                    quantity.to(BASE[quantity.dimension])
                totals[name] = totals[name] + quantity
        return totals

    def shopping_list(self, pantry=()):
        """One text per thing to buy; things in the pantry are left out."""
        return [f"{name}: {quantity}" for name, quantity in sorted(self.totals().items()) if name not in pantry]
