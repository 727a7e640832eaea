"""A chart is a grid of stitch names, knitted from the first row up."""

from collections import Counter

STITCH_WIDTHS = {"k": 1, "p": 1, "yo": 1, "k2tog": 1, "ssk": 1, "c4f": 4, "c4b": 4, "c6f": 6}


class Chart:
    def __init__(self, name, width, rows=()):
        self.name = name
        self.width = width
        self.rows = []
        for row in rows:
            self.add_row(row)

    def add_row(self, stitches, times=1):
        """Append a row `times` times. A string is split at spaces; `k*4` stands for four `k`."""
        row = tuple(self._expand(stitches.split()) if isinstance(stitches, str) else stitches)
        taken = sum(STITCH_WIDTHS.get(name, 1) for name in row)
        if taken != self.width:
            raise ValueError(f"row {len(self.rows) + 1} takes {taken} of {self.width} columns")
        self.rows.extend([row] * times)
        return self

    @staticmethod
    def _expand(words):
        for word in words:
            name, star, count = word.partition("*")
            yield from [name] * (int(count) if star else 1)

    def stitch_counts(self):
        return Counter(name for row in self.rows for name in row)

    def cable_rows(self):
        """Numbers of the rows with a crossing, counted from 1."""
        return [number for number, row in enumerate(self.rows, 1) if any(name.startswith("c") for name in row)]

    def lines(self):
        """The chart as it is printed, the last row on top."""
        return [f"{number:>3} {' '.join(row)}" for number, row in reversed(list(enumerate(self.rows, 1)))]
