"""Results as people write them, and what was played so far."""

from dataclasses import dataclass

WORDS = {"1-0": 1, "0-1": 0, "draw": 0.5, "1/2": 0.5, "1/2-1/2": 0.5}


class ResultError(ValueError):
    pass


def read(text):
    """A result for the first player of a pair."""
    try:
        return WORDS[text.strip().lower()]
    except KeyError:
        raise ResultError(f"not a result: {text!r}") from None


@dataclass(frozen=True)
class Game:
    round: int
    first: str
    second: str
    result: float

    def points_of(self, name):
        if name == self.first:
            return self.result
        return 1 - self.result if name == self.second else 0


class Record:
    """All games, in the order of play."""

    def __init__(self):
        self._games = []

    def add(self, round_number, first, second, result):
        self._games.append(Game(round_number, first, second, result))

    def between(self, one, other):
        """What `one` got against `other`, or None."""
        for game in self._games:
            if {game.first, game.second} == {one, other}:
                return game.points_of(one)
        return None

    def cross_table(self, names):
        """A line per player with the results against all others."""
        lines = []
        for one in names:
            found = [self.between(one, other) if one != other else None for other in names]
            lines.append(" ".join([one, *("-" if points is None else f"{points:g}" for points in found)]))
        return lines

    def __len__(self):
        return len(self._games)
