"""Pivots that show parts of a whole."""

from functools import cached_property

from pivots.pivot import Pivot


class SharePivot(Pivot):
    """Cells in percent of their row."""

    @cached_property
    def shares(self):
        return {
            (row, column): round(100 * value / self.row_totals[row], 1) if self.row_totals[row] else 0
            for (row, column), value in self.cells.items()
        }

    def show(self, row, column):
        return f"{self.shares.get((row, column), 0):g}%"


class RankedPivot(SharePivot):
    """Rows by their total, the largest first."""

    def __init__(self, *arguments, top=None):
        super().__init__(*arguments)
        self._top = top

    @cached_property
    def ranking(self):
        ordered = sorted(self.row_totals, key=lambda name: (-self.row_totals[name], name))
        return ordered[:self._top]

    def lines(self):
        wanted = {line[0]: line for line in super().lines()}
        yield wanted[""]
        for place, name in enumerate(self.ranking, 1):
            yield [f"{place}. {name}", *wanted[name][1:]]
