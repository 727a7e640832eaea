"""Where the parts of one file are kept until it is complete."""

from downloads.errors import SegmentBusy


class PartStore:
    def __init__(self, segments):
        self.segments = segments
        self._done = {}
        self._open = {}
        self.discarded = 0

    def missing(self):
        return [segment for segment in self.segments if segment.index not in self._done]

    def writer(self, segment):
        if segment.index in self._open:
            raise SegmentBusy(f"segment {segment.index} is being written")
        self._open[segment.index] = writer = Writer(self, segment)
        return writer

    @property
    def writers(self):
        return sorted(self._open)

    def _finish(self, writer, keep):
        del self._open[writer.segment.index]
        if keep:
            self._done[writer.segment.index] = bytes(writer.data)
        else:
            self.discarded += len(writer.data)

    def content(self):
        return b"".join(self._done[segment.index] for segment in self.segments)


class Writer:
    """Collects one segment. Only a whole segment is kept."""

    def __init__(self, store, segment):
        self._store = store
        self.segment = segment
        self.data = bytearray()

    def __enter__(self):
        return self

    def write(self, chunk):
        self.data += chunk

    def __exit__(self, exc_type, exc, traceback):
        self._store._finish(self, keep=exc_type is None and len(self.data) == len(self.segment))
        return False
