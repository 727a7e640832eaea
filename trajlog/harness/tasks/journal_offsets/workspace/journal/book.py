"""The journal: append text, read it again by number or in order."""

from journal.frame import encode
from journal.index import Index
from journal.reader import read_all, read_at


class Book:
    """Opens or creates the journal at `path`. A torn last entry is cut off."""

    def __init__(self, path):
        self._file = open(path, "a+b", buffering=0)  # noqa: SIM115
        self._index = Index()
        for _, text in read_all(self._file):
            self._index.add(text)
        self._file.truncate(self._index.end)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def __len__(self):
        return len(self._index)

    def __iter__(self):
        for _, text in read_all(self._file):
            yield text

    @property
    def size(self):
        """Bytes of all entries."""
        return self._index.end

    def append(self, text):
        """Write an entry; returns its number."""
        frame = encode(len(self._index), text)
        self._file.write(frame)
        return self._index.add(text)

    def get(self, number):
        return read_at(self._file, self._index.start(number), number)

    def search(self, word):
        """Numbers of the entries that contain `word`, in any case."""
        wanted = word.casefold()
        return [number for number, text in read_all(self._file) if wanted in text.casefold()]

    def close(self):
        self._file.close()
