"""A grid of cells."""

from sheets.cell import Cell
from sheets.errors import Circular, SheetError
from sheets.refs import Ref


class Sheet:
    def __init__(self, name):
        self.name = name
        self._cells = {}

    def set(self, where, text):
        self._cells[Ref.parse(where).spot] = Cell.from_text(text)

    def style(self, where, **settings):
        self._cells[Ref.parse(where).spot].style.update(settings)

    def style_of(self, where):
        cell = self._cells.get(Ref.parse(where).spot)
        return dict(cell.style) if cell else {}

    def text(self, where):
        cell = self._cells.get(Ref.parse(where).spot)
        return cell.text() if cell else ""

    def value(self, where):
        try:
            return self._value(Ref.parse(where).spot, ())
        except SheetError as error:
            return error.code

    def _value(self, spot, above):
        if spot in above:
            raise Circular(f"{spot} depends on itself")
        cell = self._cells.get(spot)
        if cell is None:
            return 0
        if cell.formula is None:
            return cell.value
        return cell.formula.evaluate(lambda other: self._value(other, (*above, spot)))

    def fill_down(self, where, count):
        """Copies a cell into the `count` cells below it."""
        column, row = Ref.parse(where).spot
        source = self._cells[column, row]
        for step in range(1, count + 1):
            self._cells[column, row + step] = source.moved_copy(0, step)

    def block(self, first, last):
        (left, top), (right, bottom) = Ref.parse(first).spot, Ref.parse(last).spot
        inside = {spot for spot in self._cells if left <= spot[0] <= right and top <= spot[1] <= bottom}
        return {(column - left, row - top): ((column, row), self._cells[column, row]) for column, row in inside}

    def paste(self, block, where):
        column, row = Ref.parse(where).spot
        pasted = {}
        for (right, down), (origin, cell) in block.items():
            target = column + right, row + down
            pasted[target] = cell.moved_copy(target[0] - origin[0], target[1] - origin[1])
        self._cells.update(pasted)

    def insert_row(self, number):
        """Puts an empty row before row `number`; references follow."""
        limit = number - 1
        for cell in self._cells.values():
            for ref in cell.refs():
                ref.make_room(limit)
        self._cells = {
            (column, row + (row >= limit)): cell for (column, row), cell in self._cells.items()
        }
