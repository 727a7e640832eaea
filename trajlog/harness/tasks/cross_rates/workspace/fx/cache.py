"""Values with the time from which they count."""

from dataclasses import dataclass, replace
from fractions import Fraction


@dataclass(frozen=True)
class Rate:
    value: Fraction
    since: float = None

    def then(self, other):
        """This rate followed by another one."""
        return Rate(self.value * other.value)

    def inverse(self):
        return Rate(1 / self.value)


class RateCache:
    def __init__(self, clock, max_age):
        self._clock = clock
        self._max_age = max_age
        self._rates = {}

    def get(self, pair):
        rate = self._rates.get(pair)
        if rate is None:
            return None
        if self._clock() - rate.since > self._max_age:
            del self._rates[pair]
            return None
        return rate

    def put(self, pair, rate):
        if rate.since is None:
            rate = replace(rate, since=self._clock())
        self._rates[pair] = rate
        return rate

    def drop(self, wanted):
        """Forget the pairs for which `wanted(pair)` is true."""
        for pair in [pair for pair in self._rates if wanted(pair)]:
            del self._rates[pair]

    def __len__(self):
        return len(self._rates)
