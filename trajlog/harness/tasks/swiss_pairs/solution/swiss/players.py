"""Players and what they have won so far."""

from dataclasses import dataclass, field


@dataclass
class Player:
    name: str
    rating: int = 0
    points: float = 0
    met: list = field(default_factory=list)
    had_bye: bool = False

    def has_met(self, other):
        return other.name in self.met


class Register:
    """The players in the order of registration."""

    def __init__(self):
        self._players = []

    def add(self, name, rating=0):
        if any(player.name == name for player in self._players):
            raise ValueError(f"{name} is registered already")
        player = Player(name, rating)
        self._players.append(player)
        return player

    def players(self):
        return list(self._players)

    def start_number(self, player):
        return self._players.index(player) + 1

    def __len__(self):
        return len(self._players)
