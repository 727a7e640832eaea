"""The grid: six by six cells, blocks of two rows by three columns."""

SIZE = 6
BLOCK_ROWS, BLOCK_COLUMNS = 2, 3
DIGITS = range(1, SIZE + 1)


class PuzzleError(ValueError):
    """A move or a text that the rules do not allow."""


class Grid:
    def __init__(self, cells=None):
        self._cells = list(cells) if cells is not None else [0] * SIZE * SIZE

    @classmethod
    def parse(cls, text):
        """Rows of digits, `.` for an empty cell."""
        rows = text.split()
        if len(rows) != SIZE or any(len(row) != SIZE for row in rows):
            raise PuzzleError("six rows of six cells expected")
        grid = cls()
        for row, line in enumerate(rows):
            for column, char in enumerate(line):
                if char != ".":
                    grid.enter(row, column, int(char))
        return grid

    def __str__(self):
        rows = (self._cells[start : start + SIZE] for start in range(0, SIZE * SIZE, SIZE))
        return "\n".join("".join(str(digit or ".") for digit in row) for row in rows)

    def __eq__(self, other):
        return isinstance(other, Grid) and self._cells == other._cells

    __hash__ = None

    def __getitem__(self, place):
        row, column = place
        return self._cells[row * SIZE + column]

    def copy(self):
        return Grid(self._cells)

    def empty(self):
        """(row, column) of the empty cells."""
        return [divmod(number, SIZE) for number, digit in enumerate(self._cells) if not digit]

    def taken(self, row, column):
        """Digits that row, column and block of a cell have already."""
        top, left = row - row % BLOCK_ROWS, column - column % BLOCK_COLUMNS
        seen = {self[row, other] for other in range(SIZE)}
        seen |= {self[other, column] for other in range(SIZE)}
        seen |= {self[top + r, left + c] for r in range(BLOCK_ROWS) for c in range(BLOCK_COLUMNS)}
        return seen - {0}

    def choices(self, row, column):
        return [digit for digit in DIGITS if digit not in self.taken(row, column)]

    def put(self, row, column, digit):
        """Set a cell, whatever the rules say; 0 empties it."""
        self._cells[row * SIZE + column] = digit

    def enter(self, row, column, digit):
        """A move of the player."""
        if self[row, column]:
            raise PuzzleError(f"cell {row + 1}/{column + 1} is taken")
        if digit not in DIGITS or digit in self.taken(row, column):
            raise PuzzleError(f"{digit} does not fit into {row + 1}/{column + 1}")
        self.put(row, column, digit)
