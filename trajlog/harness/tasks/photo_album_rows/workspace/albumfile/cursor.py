"""Going through an album.

Albums are large, so a cursor fills one row again and again instead of making a new one for each photo. A row that is
needed longer than until the next step has to be kept with `Row.keep`.
"""


class Row:
    __slots__ = ("name", "taken", "size", "tags")

    def __init__(self):
        self.name, self.taken, self.size, self.tags = "", "", 0, []

    def fill(self, line):
        self.name, self.taken, size, tags = line.split("|")
        self.size = int(size)
        self.tags.clear()
        self.tags.extend(tag for tag in tags.split(",") if tag)

    def keep(self):
        """A row of its own with the same values."""
        kept = Row()
        kept.name, kept.taken, kept.size, kept.tags = self.name, self.taken, self.size, list(self.tags)
        return kept

    def __repr__(self):
        return f"<{self.name} {self.taken}>"


class Cursor:
    """Iterates over the photos that the album has when they are reached."""

    def __init__(self, lines):
        self._lines = lines
        self._position = 0
        self._row = Row()

    def __iter__(self):
        return self

    def __next__(self):
        if self._position >= len(self._lines):
            raise StopIteration
        self._row.fill(self._lines[self._position])
        self._position += 1
        return self._row

    def skip(self, count):
        """Leave out photos without reading them."""
        self._position += count
