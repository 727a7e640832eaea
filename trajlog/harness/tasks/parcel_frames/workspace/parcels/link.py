"""The link to the scanner: bytes in blocks, received into one buffer."""


class Link:
    """`source` is any object with `readinto(buffer)`, such as a file opened without buffering."""

    def __init__(self, source, block=64):
        self._source = source
        self._buffer = bytearray(block)
        self._view = memoryview(self._buffer)
        self._start = self._stop = 0
        self.num_blocks = 0

    def take(self, size):
        """The next `size` bytes, as a view that is good until the next call; fewer at the end of the data."""
        if size > len(self._buffer):
            raise ValueError(f"{size} bytes are more than a block")
        if self._stop - self._start < size:
            self._fill(size)
        start = self._start
        self._start = min(start + size, self._stop)
        return self._view[start : self._start]

    def _fill(self, size):
        kept = self._stop - self._start
        self._view[:kept] = bytes(self._view[self._start : self._stop])
        self._start, self._stop = 0, kept
        while self._stop < size:
            got = self._source.readinto(self._view[self._stop :])
            if not got:
                return
            self.num_blocks += 1
            self._stop += got
