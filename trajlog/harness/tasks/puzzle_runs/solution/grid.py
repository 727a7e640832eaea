"""Puzzle grids in runs: `3#2.$2(.#$)!`"""

CELLS = {"#": "wall", ".": "free", "S": "start", "G": "goal", "o": "key"}


class GridError(ValueError):
    """A text that is no grid."""


class Reader:
    def __init__(self, text):
        self._text = "".join(text.split())
        self._at = 0

    def _next(self):
        if self._at == len(self._text):
            raise GridError("no end")
        self._at += 1
        return self._text[self._at - 1]

    def _number(self):
        begin = self._at
        while self._at < len(self._text) and self._text[self._at].isdigit():
            self._at += 1
        return int(self._text[begin:self._at]) if self._at > begin else None

    def group(self, end):
        """The cells and row ends up to an end mark, one character each."""
        result = []
        while True:
            number = self._number()
            sign = self._next()
            if sign == end:
                if number is not None:
                    raise GridError(f"{number} of nothing")
                return "".join(result)
            if number == 0:
                raise GridError("0 of something")
            times = number or 1
            if sign == "(":
                result.append(self.group(")") * times)
            elif sign == "$" or sign in CELLS:
                result.append(sign * times)
            else:
                raise GridError(f"unexpected {sign!r}")

    def rest(self):
        return self._text[self._at:]


def parse_grid(text):
    """Rows of equal length."""
    reader = Reader(text)
    signs = reader.group("!")
    if reader.rest():
        raise GridError(f"{reader.rest()!r} after the end")
    rows = signs.split("$")
    if not rows[-1]:
        rows.pop()
    width = max(map(len, rows), default=0)
    return [row.ljust(width, ".") for row in rows]


def write_grid(rows):
    """The runs of a grid, without groups."""
    parts = []
    for row in rows:
        row = row.rstrip(".")
        while row:
            run = len(row) - len(row.lstrip(row[0]))
            parts.append((str(run) if run > 1 else "") + row[0])
            row = row[run:]
        parts.append("$")
    return "".join(parts) + "!"


def find(rows, cell):
    return [(y, x) for y, row in enumerate(rows) for x, found in enumerate(row) if found == cell]


def counts(rows):
    text = "".join(rows)
    return {name: text.count(cell) for cell, name in CELLS.items() if cell in text}
