"""A game: moves, undo, questions."""

from blocks.grid import Grid
from blocks.hints import difficulty, hint
from blocks.solver import is_solvable, is_unique, num_solutions


class Game:
    def __init__(self, text):
        self.grid = Grid.parse(text)
        self._moves = []
        self.hints_used = 0

    def enter(self, row, column, digit):
        self.grid.enter(row, column, digit)
        self._moves.append((row, column))
        return self

    def undo(self):
        if self._moves:
            self.grid.put(*self._moves.pop(), 0)
        return self

    def is_finished(self):
        return not self.grid.empty()

    def ask(self, question):
        """Answer `possible`, `unique`, `hint` or `level`."""
        match question:
            case "possible":
                return is_solvable(self.grid)
            case "unique":
                return is_unique(self.grid)
            case "hint":
                self.hints_used += 1
                return hint(self.grid)
            case "level":
                left = difficulty(self.grid)
                return "easy" if not left else "medium" if num_solutions(self.grid, 2) == 1 else "open"
        raise ValueError(f"cannot answer {question!r}")
