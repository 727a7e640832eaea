"""The source of quotes."""

from fractions import Fraction


class NoQuote(LookupError):
    pass


class Bank:
    """Direct quotes by pair. Counts how often it is asked."""

    def __init__(self, quotes):
        self._quotes = {pair: Fraction(value) for pair, value in quotes.items()}
        self.asked = []

    def set(self, pair, value):
        self._quotes[pair] = Fraction(value)

    def pairs(self):
        return list(self._quotes)

    def quote(self, pair):
        self.asked.append(pair)
        if pair not in self._quotes:
            raise NoQuote("/".join(pair))
        return self._quotes[pair]
