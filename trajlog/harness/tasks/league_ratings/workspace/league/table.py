"""State of the ratings, and the tables made of it."""

from dataclasses import dataclass

from league.formula import HOME_BONUS, START, change, expectation, k_factor, points


@dataclass
class Entry:
    rating: int = START
    games: int = 0
    best: int = START

    def add(self, won):
        self.rating += won
        self.best = max(self.best, self.rating)


class Ratings:
    def __init__(self):
        self._entries = {}

    def entry(self, team):
        return self._entries.setdefault(team, Entry())

    def changes(self, games):
        """Yield (team, thousandths won) for both teams of every game."""
        for game in games:
            home, away = self.entry(game.home), self.entry(game.away)
            expected = expectation(home.rating + HOME_BONUS, away.rating)
            yield game.home, change(k_factor(home.games), game.outcome, expected, game.margin)
            yield game.away, change(k_factor(away.games), 1000 - game.outcome, 1000 - expected, game.margin)

    def rate(self, games):
        """Rate the games of one day."""
        for team, won in self.changes(games):
            self.entry(team).add(won)
            self.entry(team).games += 1

    def __getitem__(self, team):
        return self._entries[team].rating

    def exact(self):
        return {team: entry.rating for team, entry in sorted(self._entries.items())}

    def rows(self):
        """(place, team, points, games, best points); teams with equal points share a place."""
        order = sorted(self._entries.items(), key=lambda item: (-points(item[1].rating), item[0]))
        rows = []
        for number, (team, entry) in enumerate(order, 1):
            shared = rows and rows[-1][2] == points(entry.rating)
            place = rows[-1][0] if shared else number
            rows.append((place, team, points(entry.rating), entry.games, points(entry.best)))
        return rows
