"""Score keeping for card games."""

from collections import defaultdict
from functools import partial


class TallyError(ValueError):
    """The entry is against the rules."""


class Sheet:
    """The rounds of one player."""

    def __init__(self, rounds, bonus_every=5):
        self.rounds = rounds
        self.bonus_every = bonus_every

    def add(self, points):
        self.rounds.append(points)

    @property
    def total(self):
        played = self.rounds
        bonus = sum(10 for points in played if points and points % self.bonus_every == 0)
        return sum(played) + bonus


class Tally:
    """One game; players take part as soon as something is entered for them."""

    def __init__(self, rules):
        self._rules = rules
        self._sheets = defaultdict(partial(Sheet, rounds=rules.handicap, bonus_every=rules.bonus_every))

    def enter(self, player, points):
        if not 0 <= points <= self._rules.max_points:
            raise TallyError(f"{points} points in one round")
        self._sheets[player].add(points)

    def take_back(self, player):
        sheet = self._sheets[player]
        if len(sheet.rounds) == len(self._rules.handicap):
            raise TallyError(f"{player} has no round to take back")
        return sheet.rounds.pop()

    def rounds(self, player):
        return list(self._sheets[player].rounds)

    def standing(self):
        """(player, total), the best first."""
        totals = [(player, sheet.total) for player, sheet in self._sheets.items()]
        return sorted(totals, key=lambda item: (-item[1], item[0]))
