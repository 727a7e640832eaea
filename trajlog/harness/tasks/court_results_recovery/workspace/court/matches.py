"""Matches, as they were played and as they are being read."""

from dataclasses import dataclass, field

RETIRED = "ret."
WALKOVER = "w/o"


@dataclass(frozen=True)
class SetScore:
    won: int
    lost: int
    tiebreak: int | None = None

    @property
    def is_complete(self):
        high, low = max(self.won, self.lost), min(self.won, self.lost)
        return (high == 6 and low <= 4) or (high == 7 and low in (5, 6))

    def __str__(self):
        return f"{self.won}-{self.lost}" + (f"({self.tiebreak})" if self.tiebreak is not None else "")


@dataclass(frozen=True)
class Match:
    round: str
    winner: str
    loser: str
    sets: tuple
    ending: str | None = None
    seeds: tuple = ()

    @property
    def sets_won(self):
        return sum(score.won > score.lost for score in self.sets if score.is_complete)

    @property
    def sets_lost(self):
        return sum(score.won < score.lost for score in self.sets if score.is_complete)

    @property
    def games(self):
        """(won, lost) by the winner"""
        return sum(score.won for score in self.sets), sum(score.lost for score in self.sets)

    def __str__(self):
        seeds = dict(self.seeds)
        names = [f"[{seeds[name]}]{name}" if name in seeds else name for name in (self.winner, self.loser)]
        return " ".join([f"{names[0]} d. {names[1]}", *map(str, self.sets), *([self.ending] if self.ending else [])])


class ResultError(ValueError):
    """A match that cannot be; the reader adds the place."""


@dataclass
class Draft:
    """A match that is being read."""

    winner: str = ""
    loser: str = ""
    seeds: list = field(default_factory=list)
    sets: list = field(default_factory=list)
    ending: str | None = None

    def add_set(self, won, lost):
        if self.ending is not None:
            raise ResultError(f"a set after {self.ending}")
        if self.sets and not self.sets[-1].is_complete:
            raise ResultError(f"{self.sets[-1]} was not finished")
        if max(won, lost) > 7:
            raise ResultError(f"no such set: {won}-{lost}")
        self.sets.append(SetScore(won, lost))

    def add_tiebreak(self, points):
        if not self.sets or {self.sets[-1].won, self.sets[-1].lost} != {6, 7}:
            raise ResultError("a tie-break without 7-6")
        last = self.sets.pop()
        self.sets.append(SetScore(last.won, last.lost, points))

    def add_ending(self, word):
        if self.ending is not None:
            raise ResultError("a second ending")
        if word == WALKOVER and self.sets:
            raise ResultError("a walkover with sets")
        self.ending = word

    def finish(self, round_name):
        """The match, if it is complete."""
        match = Match(round_name, self.winner, self.loser, tuple(self.sets), self.ending, tuple(self.seeds))
        if self.ending is None:
            if not self.sets:
                raise ResultError("no sets")
            if not self.sets[-1].is_complete:
                raise ResultError(f"{self.sets[-1]} was not finished")
            if match.sets_won <= match.sets_lost:
                raise ResultError(f"{match.winner} did not win {match.sets_won}:{match.sets_lost}")
        return match
