"""Results: `2024-05-01 Lions 3:1 Bears`, one a line."""

import re
from dataclasses import dataclass
from datetime import date
from itertools import groupby

LINE = re.compile(r"(\d{4}-\d\d-\d\d) (.+?) (\d+):(\d+) (.+)")


class ResultError(ValueError):
    """A line that is no result."""


@dataclass(frozen=True)
class Game:
    day: date
    home: str
    away: str
    home_goals: int
    away_goals: int

    @property
    def outcome(self):
        """In thousandths: what the home team made of the game."""
        if self.home_goals == self.away_goals:
            return 500
        return 1000 if self.home_goals > self.away_goals else 0

    @property
    def margin(self):
        return abs(self.home_goals - self.away_goals)


def read(lines):
    games = []
    for number, line in enumerate(lines, 1):
        line = line.partition("#")[0].strip()
        if not line:
            continue
        parts = LINE.fullmatch(line)
        if parts is None:
            raise ResultError(f"line {number}: {line}")
        day, home, home_goals, away_goals, away = parts.groups()
        if home == away:
            raise ResultError(f"line {number}: {home} against itself")
        games.append(Game(date.fromisoformat(day), home, away, int(home_goals), int(away_goals)))
    return games


def by_day(games):
    """Yield (day, games of that day), by date."""
    for day, group in groupby(sorted(games, key=lambda game: game.day), key=lambda game: game.day):
        yield day, list(group)
