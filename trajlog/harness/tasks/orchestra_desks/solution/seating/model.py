"""Sections and desks."""

from typing import NamedTuple


class SeatingError(ValueError):
    """No such section, desk or player."""


class Desk(NamedTuple):
    """Two players share a stand; the outer one is named first."""

    number: int
    players: list
    divisi: bool = False

    def label(self):
        return f"{self.number}:{'/'.join(self.players) or '-'}" + ("*" if self.divisi else "")


class Section(NamedTuple):
    name: str
    side: str
    desks: list

    @classmethod
    def of(cls, name, side, players, per_desk=2):
        players = list(players)
        desks = [
            Desk(number, players[start : start + per_desk])
            for number, start in enumerate(range(0, len(players), per_desk), start=1)
        ]
        return cls(name, side, desks)

    @property
    def principal(self):
        return self.desks[0].players[0] if self.desks and self.desks[0].players else None

    def players(self):
        return [player for desk in self.desks for player in desk.players]

    def desk_of(self, player):
        for desk in self.desks:
            if player in desk.players:
                return desk
        raise SeatingError(f"{player} does not play in {self.name}")

    def copy(self):
        """The same desks, for another seating."""
        return self._replace(desks=[desk._replace(players=list(desk.players)) for desk in self.desks])

    def reduced(self, desks):
        """The first `desks` desks only."""
        if desks > len(self.desks):
            raise SeatingError(f"{self.name} has {len(self.desks)} desks")
        return self._replace(desks=self.desks[:desks])
