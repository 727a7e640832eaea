"""Patterns: a cast-on number and rows."""

from yarn.knitting import Row
from yarn.shorthand import RowError, RowReader
from yarn.stitches import Stitches


class Pattern:
    """Lines: `cast on 20`, `define kb 1 1 knit into the back`, and rows."""

    def __init__(self, text):
        self.stitches = Stitches()
        self.cast_on = 0
        self.rows = []
        self.problems = []
        for line in text.strip().splitlines():
            self._line(line.strip())

    def _line(self, line):
        words = line.split()
        if line.startswith("cast on "):
            self.cast_on = int(words[2])
        elif line.startswith("define "):
            self.stitches.define(words[1], int(words[2]), int(words[3]), " ".join(words[4:]))
        elif line:
            self._row(line)

    def _row(self, line):
        number = len(self.rows) + len(self.problems) + 1
        try:
            row = Row(RowReader(self.stitches).read(line), self.width)
            if row.left_over:
                raise RowError(f"{row.left_over} stitches are left over")
        except RowError as problem:
            self.problems.append(f"{problem} in row {number}")
            return
        self.rows.append(row)

    @property
    def width(self):
        """Stitches on the needle now."""
        return self.rows[-1].made if self.rows else self.cast_on

    def widths(self):
        return [row.made for row in self.rows]

    def legend(self):
        return self.stitches.legend({stitch.name for row in self.rows for stitch in row.stitches})


def spelled(row):
    """The stitches of a row, one by one."""
    return " ".join(stitch.name for stitch in row.stitches)
