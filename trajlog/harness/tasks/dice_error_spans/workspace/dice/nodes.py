"""Parsed rolls. `start` and `end` say where a part stands in the text."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Number:
    value: int

    def roll(self, thrower):
        return self.value


@dataclass(frozen=True)
class Dice:
    count: int
    sides: int
    start: int
    end: int
    keep: int = 0
    keep_high: bool = True
    explodes: bool = False

    def roll(self, thrower):
        """Throw all dice; the highest face of exploding ones is thrown again once."""
        throws = []
        for _ in range(self.count):
            throws.append(thrower.throw(self.sides))
            if self.explodes and throws[-1] == self.sides:
                throws.append(thrower.throw(self.sides))
        kept = throws
        if self.keep:
            kept = sorted(throws, reverse=self.keep_high)[:self.keep]
        thrower.note(self, throws, sum(kept))
        return sum(kept)


@dataclass(frozen=True)
class Sum:
    """Parts with their factors 1 and -1."""

    parts: tuple

    def roll(self, thrower):
        return sum(factor * node.roll(thrower) for factor, node in self.parts)


@dataclass(frozen=True)
class Product:
    factors: tuple

    def roll(self, thrower):
        result = 1
        for node in self.factors:
            result *= node.roll(thrower)
        return result
