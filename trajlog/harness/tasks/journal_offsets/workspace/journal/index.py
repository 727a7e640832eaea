"""Where each entry starts, so that one can be read without the others."""

from journal.frame import frame_size


class Index:
    """Starts of the entries 0, 1, ... and the end of the last one."""

    def __init__(self):
        self._starts = []
        self.end = 0

    def __len__(self):
        return len(self._starts)

    def add(self, text):
        """Note the next entry; returns its number."""
        self._starts.append(self.end)
        self.end += frame_size(text)
        return len(self._starts) - 1

    def start(self, number):
        if not 0 <= number < len(self._starts):
            raise IndexError(f"no entry {number}; there are {len(self._starts)}")
        return self._starts[number]
