"""Equations such as `2 H2 + O2 -> 2 H2O`."""

from collections import Counter
from dataclasses import dataclass

from chem.formula import parse


@dataclass(frozen=True)
class Equation:
    left: Counter
    right: Counter

    @property
    def is_balanced(self):
        return self.left == self.right

    def difference(self):
        """Atoms that the right side has more (or, negative, fewer) than the left."""
        symbols = sorted(self.left.keys() | self.right.keys())
        found = {symbol: self.right[symbol] - self.left[symbol] for symbol in symbols}
        return {symbol: count for symbol, count in found.items() if count}


def _side(text):
    counts = Counter()
    for term in text.split("+"):
        counts.update(parse(term.replace(" ", "")))
    return counts


def parse_equation(text):
    left, arrow, right = text.partition("->")
    if not arrow:
        raise ValueError(f"no arrow in {text!r}")
    return Equation(_side(left), _side(right))


def check_lines(lines):
    """A word about every equation."""
    for line in lines:
        equation = parse_equation(line)
        if equation.is_balanced:
            yield f"ok  {line}"
        else:
            wrong = ", ".join(f"{symbol} {count:+}" for symbol, count in equation.difference().items())
            yield f"NOT {line}: {wrong}"
