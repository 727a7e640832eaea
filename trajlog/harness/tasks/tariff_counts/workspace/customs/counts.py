"""Counts of look-ups."""

from collections import Counter


class Counts:
    def __init__(self):
        self._counts = Counter()

    def add(self, code, count):
        self._counts[code] += count

    def get(self, code):
        return self._counts[code]

    def all(self):
        return dict(sorted(self._counts.items()))

    def chapters(self):
        return {code: count for code, count in self.all().items() if len(code) == 2}

    def top(self, digits, count=3):
        """The codes of that many digits which were looked up most."""
        found = [(number, code) for code, number in self._counts.items() if len(code) == digits]
        return [code for number, code in sorted(found, key=lambda item: (-item[0], item[1]))[:count]]
