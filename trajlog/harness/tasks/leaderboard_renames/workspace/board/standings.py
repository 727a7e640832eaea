"""Points by player."""

from dataclasses import dataclass


@dataclass
class Row:
    player: str
    name: str
    points: int = 0
    games: int = 0
    best: int = 0


class Standings:
    def __init__(self):
        self._rows = {}

    def count(self, named):
        row = self._rows.setdefault(named.player, Row(named.player, named.name))
        row.name = named.name
        row.points += named.points
        row.games += 1
        row.best = max(row.best, named.points)

    def rows(self):
        return sorted(self._rows.values(), key=lambda row: (-row.points, -row.best, row.player))

    def lines(self, top=None):
        """Places as text; equal points share a place."""
        lines, place, points = [], 0, None
        for number, row in enumerate(self.rows(), 1):
            if row.points != points:
                place, points = number, row.points
            lines.append(f"{place}. {row.name} {row.points} ({row.games})")
        return lines[:top]
