"""A stream of lines that can be looked into and put back."""


class Source:
    def __init__(self, lines):
        self._lines = iter(lines)
        self._waiting = []  # next line last
        self.buffered = 0

    def read(self):
        """The next line, None at the end."""
        if self._waiting:
            return self._waiting.pop()
        return next(self._lines, None)

    def read_many(self, count):
        """Up to `count` lines."""
        lines = []
        while len(lines) < count:
            line = self.read()
            if line is None:
                break
            lines.append(line)
        return lines

    def put_back(self, lines):
        """Make `lines` the next ones, in this order."""
        self._waiting.extend(lines)
        self.buffered = max(self.buffered, len(self._waiting))

    def starts_with(self, lines):
        """Whether these lines come next; nothing is consumed."""
        ahead = self.read_many(len(lines))
        self.put_back(ahead)
        return ahead == lines
