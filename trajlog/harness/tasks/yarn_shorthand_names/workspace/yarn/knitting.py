"""Rows carried out on a number of stitches."""

from yarn.shorthand import RowError, ToLast


class Row:
    """What comes of a row: `stitches` in order, `taken` and `left_over` of the row below, `made`."""

    def __init__(self, items, available):
        self.available = available
        self.stitches = []
        self.taken = 0
        self._knit(items)

    @property
    def made(self):
        return sum(stitch.leaves for stitch in self.stitches)

    @property
    def left_over(self):
        return self.available - self.taken

    def _knit(self, items):
        for item in items:
            if isinstance(item, ToLast):
                self._knit_to_last(item)
                continue
            for _ in range(item.number):
                if isinstance(item.what, tuple):
                    self._knit(item.what)
                else:
                    self._one(item.what)

    def _knit_to_last(self, item):
        while self.left_over > item.left:
            before = self.taken
            self._knit(item.items)
            if self.taken == before:
                raise RowError("a repeat that takes no stitches")
        if self.left_over < item.left:
            raise RowError(f"the repeat does not end at the last {item.left}")

    def _one(self, stitch):
        if stitch.takes > self.left_over:
            raise RowError(f"{stitch.name} needs {stitch.takes} stitches, {self.left_over} left")
        self.taken += stitch.takes
        self.stitches.append(stitch)
