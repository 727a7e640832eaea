"""Tables: who won how much."""

from dataclasses import dataclass


@dataclass
class Line:
    name: str
    played: int = 0
    won: int = 0
    sets: int = 0
    games: int = 0

    def key(self):
        return -self.won, -self.sets, -self.games, self.name


def table(matches):
    """Lines by matches won, then by the differences of sets and of games. Walkovers count as won only."""
    lines = {}
    for match in matches:
        won, lost = match.games
        for name, sign in ((match.winner, 1), (match.loser, -1)):
            line = lines.setdefault(name, Line(name))
            line.played += 1
            line.won += sign > 0
            line.sets += sign * (match.sets_won - match.sets_lost)
            line.games += sign * (won - lost)
    return sorted(lines.values(), key=Line.key)


def table_lines(matches):
    return [f"{line.name}: {line.won}/{line.played} {line.sets:+} {line.games:+}" for line in table(matches)]
