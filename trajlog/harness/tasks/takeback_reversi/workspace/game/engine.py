"""The rules: a tile captures weaker neighbours of the other side."""

from game.board import EMPTY, Board, IllegalMove
from game.state import Side, State


class Engine:
    def __init__(self, names=("X", "O"), tiles=(1, 1, 2, 3), size=(4, 3)):
        hands = {name: {value: tiles.count(value) for value in tiles} for name in names}
        sides = {name: Side(name, hand) for name, hand in hands.items()}
        self.state = State(Board(*size), sides, tuple(names))
        self.values = [{}]
        self._past = []

    def play(self, x, y, value):
        state = self.state
        if state.board.at(x, y) != EMPTY:
            raise IllegalMove(f"({x}, {y}) is taken")
        if not state.mover.hand.get(value):
            raise IllegalMove(f"{state.mover.name} has no tile {value}")
        self._past.append(state.snapshot())
        self.values.append(dict(self.values[-1]))
        mover = state.mover
        mover.take_tile(value)
        state.board.put(x, y, mover.name)
        self.values[-1][x, y] = value
        for spot in state.board.neighbours(x, y):
            self._capture(mover, spot, value)
        state.turn += 1

    def _capture(self, mover, spot, value):
        owner = self.state.board.at(*spot)
        weaker = self.values[-1].get(spot, 0)
        if owner in (EMPTY, mover.name) or weaker >= value:
            return
        self.state.board.lift(*spot)
        mover.tray.append(self.values[-1].pop(spot))
        mover.points += weaker

    def take_back(self, moves=1):
        if moves > len(self._past):
            raise IllegalMove(f"only {len(self._past)} moves to take back")
        for _ in range(moves):
            self.state = self._past.pop()
            self.values.pop()

    def history(self):
        return [past.scores() for past in self._past]

    def result(self):
        best = max(self.state.scores())
        return [name for name in self.state.order if self.state.sides[name].points == best]
