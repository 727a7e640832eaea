"""A season: all results and questions about them."""

from datetime import date

from league.formula import HOME_BONUS, expectation
from league.results import by_day, read
from league.table import Ratings


class Season:
    def __init__(self, lines):
        self.games = read(lines)

    def replay(self, until=None):
        """Ratings after all games up to and including that day."""
        ratings = Ratings()
        limit = date.fromisoformat(until) if until else date.max
        for day, games in by_day(self.games):
            if day > limit:
                break
            ratings.rate(games)
        return ratings

    def table(self, until=None):
        rows = self.replay(until).rows()
        return [f"{place:>2}. {team:<8}{now:>5}{games:>4}  (best {best})" for place, team, now, games, best in rows]

    def forecast(self, home, away):
        """Percent of a win to be expected by the home team, half up."""
        ratings = self.replay()
        return (expectation(ratings[home] + HOME_BONUS, ratings[away]) + 5) // 10

    def movers(self, start, end):
        """(team, thousandths won after `start` up to `end`), most first."""
        before, after = self.replay(start).exact(), self.replay(end).exact()
        won = {team: rating - before.get(team, 1_500_000) for team, rating in after.items()}
        return sorted(won.items(), key=lambda item: (-item[1], item[0]))
