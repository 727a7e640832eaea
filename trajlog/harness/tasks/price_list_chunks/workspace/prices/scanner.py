"""Rows of cells from pieces of text."""

PLAIN, QUOTED, CLOSED = "plain", "quoted", "closed"


class ListError(ValueError):
    """A price list that cannot be read; `line` counts from 1."""

    def __init__(self, line, message):
        super().__init__(f"line {line}: {message}")
        self.line = line


class RowScanner:
    """`feed` pieces, then `close`; both give the rows that are complete as (line of the first cell, cells)."""

    def __init__(self, delimiter=";", quote='"'):
        self._delimiter = delimiter
        self._quote = quote
        self._state = PLAIN
        self._cell = []
        self._cells = []
        self._line = self._first_line = 1
        self._after_cr = False

    def feed(self, piece):
        rows = []
        skip_next = False
        for index, char in enumerate(piece):
            if skip_next:
                skip_next = False
                continue
            if self._after_cr:
                self._after_cr = False
                if char == "\n":
                    if self._state == QUOTED:
                        self._cell.append(char)
                    continue
            if char in "\r\n":
                self._after_cr = char == "\r"
                self._line += 1
                if self._state != QUOTED:
                    self._end_row(rows)
                    continue
            if char == self._quote and self._state == QUOTED and piece[index + 1:index + 2] == self._quote:
                self._cell.append(char)
                skip_next = True
                continue
            self._take(char)
        return rows

    def close(self):
        if self._state == QUOTED:
            raise ListError(self._first_line, "a quoted cell does not end")
        rows = []
        self._end_row(rows)
        return rows

    def _take(self, char):
        if self._state == QUOTED:
            if char == self._quote:
                self._state = CLOSED
            else:
                self._cell.append(char)
        elif char == self._delimiter:
            self._end_cell()
        elif char == self._quote and not self._cell and self._state == PLAIN:
            self._state = QUOTED
        else:
            self._cell.append(char)
            self._state = PLAIN

    def _end_cell(self):
        self._cells.append("".join(self._cell))
        self._cell = []
        self._state = PLAIN

    def _end_row(self, rows):
        if self._cell or self._cells or self._state == CLOSED:
            self._end_cell()
            rows.append((self._first_line, self._cells))
        self._cells = []
        self._first_line = self._line
