"""The matrix itself."""


class ShapeError(ValueError):
    """The shapes do not fit."""


class Matrix:
    """`rows` x `columns` numbers, of which only those that are not zero are kept.

    Iterating gives `(row, column, value)` by row, then column.
    """

    def __init__(self, rows, columns, cells=()):
        if rows < 1 or columns < 1:
            raise ShapeError(f"no such shape: {rows} x {columns}")
        self.shape = (rows, columns)
        self._values = {}
        for row, column, value in cells:
            self[row, column] = value

    def _check(self, place):
        if not all(0 <= index < limit for index, limit in zip(place, self.shape)):
            raise IndexError(f"{place} is outside of {self.shape}")

    def __getitem__(self, place):
        self._check(place)
        return self._values.get(place, 0)

    def __setitem__(self, place, value):
        self._check(place)
        if value:
            self._values[place] = value
        else:
            self._values.pop(place, None)

    def __len__(self):
        return len(self._values)

    def __iter__(self):
        self._places = iter(sorted(self._values))
        return self

    def __next__(self):
        row, column = place = next(self._places)
        return row, column, self._values.get(place, 0)

    def __eq__(self, other):
        if not isinstance(other, Matrix):
            return NotImplemented
        return self.shape == other.shape and self._values == other._values

    def copy(self):
        return Matrix(*self.shape, self)

    def transposed(self):
        rows, columns = self.shape
        return Matrix(columns, rows, ((column, row, value) for row, column, value in self))
