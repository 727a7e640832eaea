"""Rates and conversions."""

from fractions import Fraction

from fx.cache import Rate, RateCache
from fx.paths import NoPath, shortest


class Desk:
    def __init__(self, bank, clock, max_age=60):
        self._bank = bank
        self._clock = clock
        self._cache = RateCache(clock, max_age)
        self._closed = set()

    def rate(self, start, goal):
        return self._rate(start, goal).value

    def age_of(self, start, goal):
        return self._clock() - self._rate(start, goal).since

    def convert(self, amount, start, goal, digits=2):
        return round(float(Fraction(str(amount)) * self.rate(start, goal)), digits)

    def suspend(self, currency):
        self._closed.add(currency)
        self._cache.drop(lambda pair: pair not in self._bank.pairs() or currency in pair)

    def resume(self, currency):
        self._closed.discard(currency)

    def _rate(self, start, goal):
        for currency in (start, goal):
            if currency in self._closed:
                raise NoPath(f"{currency} is closed")
        if start == goal:
            return Rate(Fraction(1), self._clock())
        known = self._cache.get((start, goal))
        if known is not None:
            return known
        path = shortest(self._bank.pairs(), start, goal, self._closed)
        if len(path) == 2:
            return self._direct(start, goal)
        rate = self._rate(*path[:2]).then(self._rate(path[1], goal))
        return self._cache.put((start, goal), rate)

    def _direct(self, start, goal):
        if (start, goal) not in self._bank.pairs():
            return self._cache.put((start, goal), self._rate(goal, start).inverse())
        return self._cache.put((start, goal), Rate(self._bank.quote((start, goal)), self._clock()))
