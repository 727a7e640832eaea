"""Weights and shares."""

from chem.elements import weight_of
from chem.formula import parse


def molar_weight(text):
    return round(sum(weight_of(symbol) * count for symbol, count in parse(text).items()), 3)


def shares(text):
    """Percent of the weight by element."""
    whole = molar_weight(text)
    return {symbol: round(100 * weight_of(symbol) * count / whole, 1) for symbol, count in parse(text).items()}


def hill(text):
    """The formula in the order of Hill: carbon, hydrogen, then by letter."""
    counts = parse(text)
    first = [symbol for symbol in ("C", "H") if "C" in counts and symbol in counts]
    order = first + sorted(symbol for symbol in counts if symbol not in first)
    return "".join(f"{symbol}{counts[symbol] if counts[symbol] > 1 else ''}" for symbol in order)
