"""Copies and waiting lines of one branch."""


class LendingError(Exception):
    """A request that the desk has to refuse."""


class Shelf:
    def __init__(self, titles):
        self._free = dict.fromkeys(titles, 1)
        self._lines = dict.fromkeys(titles, [])

    def add(self, titles):
        """More titles for an open branch; a known title gets one more copy."""
        for title in titles:
            self._free[title] = self._free.get(title, 0) + 1
        self._lines = dict.fromkeys(titles, []) | self._lines

    def titles(self):
        return sorted(self._free)

    def free(self, title):
        self._known(title)
        return self._free[title]

    def line(self, title):
        self._known(title)
        return self._lines[title]

    def move(self, title, step):
        self._free[title] += step

    def _known(self, title):
        if title not in self._free:
            raise LendingError(f"no such title: {title}")
