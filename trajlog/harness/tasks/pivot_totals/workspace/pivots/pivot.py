"""Sums by two columns of a table."""

from functools import cached_property

from pivots.derived import Derived


class Pivot(Derived):
    def __init__(self, table, rows, columns, value):
        self._table = table
        self._by = rows, columns
        self._value = value
        self._only = {}
        self.passes = 0
        table.listen(self.forget)

    def only(self, **filters):
        """Count these rows only; no filters means all rows."""
        self._only = filters
        self.forget()

    @cached_property
    def cells(self):
        self.passes += 1
        cells = {}
        for row in self._table:
            if all(row[name] == wanted for name, wanted in self._only.items()):
                key = tuple(row[name] for name in self._by)
                cells[key] = cells.get(key, 0) + float(row[self._value] or 0)
        return cells

    @cached_property
    def row_names(self):
        return sorted({row for row, _ in self.cells})

    @cached_property
    def column_names(self):
        return sorted({column for _, column in self.cells})

    @cached_property
    def row_totals(self):
        return {name: sum(value for (row, _), value in self.cells.items() if row == name) for name in self.row_names}

    @cached_property
    def total(self):
        return sum(self.row_totals.values())

    def show(self, row, column):
        return f"{self.cells.get((row, column), 0):g}"

    def lines(self):
        yield ["", *self.column_names, "total"]
        for row in self.row_names:
            yield [row, *(self.show(row, column) for column in self.column_names), self.show_total(row)]

    def show_total(self, row):
        return f"{self.row_totals[row]:g}"
