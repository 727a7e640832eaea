"""Ratings that follow the results."""


class Ratings:
    """Elo ratings; newcomers begin at `start`. A walkover changes nothing."""

    def __init__(self, start=1500, step=32):
        self._start = start
        self._step = step
        self._values = {}

    def __getitem__(self, name):
        return self._values.get(name, self._start)

    def expected(self, name, other):
        """The chance of winning."""
        return 1 / (1 + 10 ** ((self[other] - self[name]) / 400))

    def count(self, match):
        if not match.sets:
            return 0
        change = round(self._step * (1 - self.expected(match.winner, match.loser)))
        self._values[match.winner] = self[match.winner] + change
        self._values[match.loser] = self[match.loser] - change
        return change

    def count_all(self, matches):
        for match in matches:
            self.count(match)
        return self

    def lines(self):
        return [f"{name} {value}" for name, value in sorted(self._values.items(), key=lambda item: (-item[1], item[0]))]
