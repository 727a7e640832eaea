"""The mean over the last seconds of values that hold."""

from collections import deque


class HoldWindow:
    """Sum over the pieces `[begin, end, watts]` that lie in the last `width` seconds."""

    def __init__(self, width):
        if width <= 0:
            raise ValueError("a window has a width")
        self.width = width
        self._pieces = deque()
        self._joules = 0

    @property
    def covered(self):
        if not self._pieces:
            return 0
        return self._pieces[-1][1] - self._pieces[0][0]

    def push(self, begin, end, watts):
        """Adds a piece that follows the last one."""
        if end <= begin:
            return
        self._pieces.append([begin, end, watts])
        self._joules += watts * (end - begin)
        self._drop_before(end - self.width)

    def _drop_before(self, limit):
        while self._pieces and self._pieces[0][1] <= limit:
            begin, end, watts = self._pieces.popleft()
            self._joules -= watts * (end - begin)
        if self._pieces and self._pieces[0][0] < limit:
            first = self._pieces[0]
            self._joules -= first[2] * (limit - first[0])
            first[0] = limit

    def mean(self):
        return self._joules / self.covered if self._pieces else 0.0
