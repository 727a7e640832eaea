"""What can be done to a text. Every edit can be taken back after it was applied."""

import re

from lined.buffer import EditError


class Insert:
    """New lines before line `at`."""

    def __init__(self, at, lines):
        self.at = at
        self.lines = lines

    def apply(self, buffer):
        if not 1 <= self.at <= len(buffer.lines) + 1:
            raise EditError(f"cannot insert at {self.at}")
        buffer.replace(self.at, 0, self.lines)

    def revert(self, buffer):
        buffer.replace(self.at, len(self.lines), [])


class Delete:
    def __init__(self, first, last):
        self.first = first
        self.last = last
        self._old = []

    def apply(self, buffer):
        buffer.check(self.first, self.last)
        self._old = buffer.replace(self.first, self.last - self.first + 1, [])

    def revert(self, buffer):
        buffer.replace(self.first, 0, self._old)


class Substitute:
    """In every line of the range. It is an error if nothing is found."""

    def __init__(self, first, last, pattern, text):
        self.first = first
        self.last = last
        self._pattern = re.compile(pattern)
        self._text = text
        self._old = []

    def apply(self, buffer):
        buffer.check(self.first, self.last)
        old = buffer.lines[self.first - 1 : self.last]
        new = [self._pattern.sub(self._text, line) for line in old]
        if new == old:
            raise EditError(f"{self._pattern.pattern} is not found")
        self._old = buffer.replace(self.first, len(old), new)

    def revert(self, buffer):
        buffer.replace(self.first, len(self._old), self._old)


class Batch:
    """Several edits as one. If one of them fails, none is made."""

    def __init__(self, edits):
        self._edits = edits

    def apply(self, buffer):
        applied = []
        try:
            for edit in self._edits:
                edit.apply(buffer)
                applied.append(edit)
        except EditError:
            for edit in reversed(applied):
                edit.revert(buffer)
            raise

    def revert(self, buffer):
        for edit in reversed(self._edits):
            edit.revert(buffer)
