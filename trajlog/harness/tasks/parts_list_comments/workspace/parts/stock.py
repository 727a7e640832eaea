"""What is in the store, and what has to be bought."""

from parts.errors import PartsError
from parts.explode import needed


class Stock:
    def __init__(self, numbers=None):
        self._numbers = dict(numbers or {})

    def __getitem__(self, part):
        return self._numbers.get(part, 0)

    def missing(self, parts_list, name, number=1):
        """part -> how many are short"""
        wanted = needed(parts_list, name, number)
        return {part: amount - self[part] for part, amount in wanted.items() if amount > self[part]}

    def can_build(self, parts_list, name):
        """How many of an assembly the stock is enough for."""
        wanted = needed(parts_list, name)
        return min((int(self[part] // amount) for part, amount in wanted.items()), default=0)

    def take(self, parts_list, name, number=1):
        short = self.missing(parts_list, name, number)
        if short:
            raise PartsError("short of " + ", ".join(f"{amount} {part}" for part, amount in short.items()))
        for part, amount in needed(parts_list, name, number).items():
            self._numbers[part] -= amount
        return self
