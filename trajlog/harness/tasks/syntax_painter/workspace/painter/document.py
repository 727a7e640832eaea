"""The text of a file, as lines."""


class EditError(ValueError):
    """The edit is outside of the document."""


class Document:
    def __init__(self, text=""):
        self._lines = text.split("\n")
        self._listeners = []
        self._undo = []

    def __len__(self):
        return len(self._lines)

    def line(self, number):
        return self._lines[number]

    @property
    def text(self):
        return "\n".join(self._lines)

    def listen(self, listener):
        """Call `listener(start, removed, added)`, numbers of lines, after each edit."""
        self._listeners.append(listener)

    def replace(self, start, stop, lines):
        """Put other lines in the place of lines `start` to `stop` (not included)."""
        if not 0 <= start <= stop <= len(self._lines):
            raise EditError(f"lines {start} to {stop} of {len(self._lines)}")
        self._undo.append((start, start + len(lines), self._lines[start:stop]))
        self._change(start, stop, lines)

    def set_line(self, number, text):
        self.replace(number, number + 1, [text])

    def insert(self, number, *lines):
        self.replace(number, number, list(lines))

    def delete(self, number, count=1):
        self.replace(number, number + count, [])

    def type(self, number, column, text):
        """Type text into a line; it may have line breaks."""
        line = self._lines[number]
        self.replace(number, number + 1, (line[:column] + text + line[column:]).split("\n"))

    def undo(self):
        if not self._undo:
            raise EditError("nothing to undo")
        self._change(*self._undo.pop())

    def _change(self, start, stop, lines):
        self._lines[start:stop] = lines
        for listener in self._listeners:
            listener(start, stop - start, len(lines))
