"""Everything that a move may change."""

from dataclasses import dataclass, field, replace

from game.board import Board


@dataclass
class Side:
    """One player: tiles in hand (value -> how many), stones captured by value, and points."""

    name: str
    hand: dict
    tray: list = field(default_factory=list)
    points: int = 0

    def take_tile(self, value):
        if not self.hand.get(value):
            return False
        self.hand[value] -= 1
        return True


@dataclass
class State:
    board: Board
    sides: dict
    order: tuple
    turn: int = 0

    @property
    def mover(self):
        return self.sides[self.order[self.turn % len(self.order)]]

    def scores(self):
        return tuple(self.sides[name].points for name in self.order)

    def snapshot(self):
        sides = {name: replace(side, hand=dict(side.hand)) for name, side in self.sides.items()}
        return State(self.board.copy(), sides, self.order, self.turn)
