"""Moves and whole games as text: `b2=3` puts tile 3 on the second column, second row."""

import re

from game.board import IllegalMove
from game.engine import Engine

MOVE = re.compile(r"([a-z])([1-9])=([1-9])")
BACK = re.compile(r"back(?: ([1-9]))?")


def move_text(x, y, value):
    return f"{chr(ord('a') + x)}{y + 1}={value}"


def parse_move(text):
    match = MOVE.fullmatch(text)
    if match is None:
        raise IllegalMove(f"not a move: {text!r}")
    column, row, value = match.groups()
    return ord(column) - ord("a"), int(row) - 1, int(value)


class Recorder:
    """Plays from text and keeps the moves that stand."""

    def __init__(self, engine=None):
        self.engine = engine or Engine()
        self.moves = []

    def do(self, text):
        back = BACK.fullmatch(text)
        if back:
            count = int(back.group(1) or 1)
            self.engine.take_back(count)
            del self.moves[-count:]
            return
        move = parse_move(text)
        self.engine.play(*move)
        self.moves.append(move)

    def do_all(self, text):
        for part in filter(None, (piece.strip() for piece in text.split(","))):
            self.do(part)
        return self

    def text(self):
        return ", ".join(move_text(*move) for move in self.moves)

    def summary(self):
        """One line per player: points, captured stones and the tiles still in hand."""
        lines = []
        for name, side in self.engine.state.sides.items():
            hand = "".join(str(value) * count for value, count in sorted(side.hand.items()))
            captured = "".join(map(str, side.tray)) or "-"
            lines.append(f"{name} {side.points} took {captured} has {hand or '-'}")
        return lines
