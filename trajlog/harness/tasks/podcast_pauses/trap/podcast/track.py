"""One microphone."""

from podcast.encode import GAP, encoder


class Track:
    """Writes segments `take/track.1`, `take/track.2` and so on."""

    def __init__(self, store, take, name):
        self.name = name
        self.number = 0
        self.count = 0
        self._store = store
        self._take = take
        self._file = None
        self._encoder = None
        self.files = []

    def open(self):
        """Begins the next segment."""
        self.number += 1
        self._file = self._store.create(f"{self._take}/{self.name}.{self.number}")
        self.files.append(self._file.name)
        self.count = 0
        self._begin()

    def _begin(self):
        if self._file.lines and self._file.lines[-1].startswith("end"):
            self._file.lines.pop()
            self._file.append("gap")
        self._encoder = encoder(self._file, self.name, self.number, self.count)
        self.count = next(self._encoder)

    def write(self, frame):
        self.count = self._encoder.send(frame)

    def pause(self):
        if self._encoder is not None and self.count:
            self._encoder.send(GAP)
            self._encoder.close()
            self._encoder = None

    def resume(self):
        if self._encoder is None:
            self._begin()

    def close(self):
        if self._encoder is not None:
            self._encoder.close()
            self._encoder = None
        if self._file is not None:
            self._file.close()

    def remove(self):
        self.close()
        for name in self.files:
            self._store.remove(name)
        self.files.clear()
