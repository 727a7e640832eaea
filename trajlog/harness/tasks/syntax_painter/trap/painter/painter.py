"""Paints a document, and keeps what it has read."""

from painter.lexer import lex
from painter.state import START


class Painted:
    """A line that was read: its tokens, and the states around it."""

    def __init__(self, before, tokens, after):
        self.before = before
        self.tokens = tokens
        self.after = after


class Painter:
    def __init__(self, document):
        self._document = document
        self._painted = [None] * len(document)
        self.num_read = 0
        document.listen(self._on_edit)

    def tokens(self, number):
        """The tokens of a line as (kind, text)."""
        self._refresh(number)
        return list(self._painted[number].tokens)

    def all(self):
        return [self.tokens(number) for number in range(len(self._document))]

    def mode(self, number):
        """What the end of a line is in: code, comment, string or hole."""
        self._refresh(number)
        return self._painted[number].after.mode

    def _refresh(self, last):
        """Read whatever has to be read up to a line."""
        state = START
        for number in range(last + 1):
            painted = self._painted[number]
            if painted is None or not self._is_same(painted.before, state):
                painted = self._painted[number] = self._read(number, state)
            state = painted.after

    @staticmethod
    def _is_same(one, other):
        return (one.mode, one.comments, len(one.holes)) == (other.mode, other.comments, len(other.holes))

    def _read(self, number, state):
        self.num_read += 1
        return Painted(state, *lex(self._document.line(number), state))

    def _on_edit(self, start, removed, added):
        self._painted[start : start + removed] = [None] * added
