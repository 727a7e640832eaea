"""Segments: a head line, then lines of entries. A full segment is closed by a trailer with the last digest."""

from audit.entry import AuditError
from audit.lines import from_line, to_line

HEAD = "#audit 1"
TRAILER = "#closed "


class MemoryStore:
    """Texts of segments by name, as a directory would keep them."""

    def __init__(self, texts=None):
        self.texts = dict(texts or {})

    def names(self):
        return sorted(self.texts)

    def read(self, name):
        return self.texts[name]

    def append(self, name, text):
        self.texts[name] = self.texts.get(name, "") + text


class Segment:
    def __init__(self, store, index):
        self._store = store
        self.index = index
        self.name = f"audit-{index:05d}"
        self.num_entries = 0
        self.closed_with = None

    @classmethod
    def create(cls, store, index):
        segment = cls(store, index)
        store.append(segment.name, HEAD + "\n")
        return segment

    @classmethod
    def open(cls, store, name):
        segment = cls(store, int(name.removeprefix("audit-")))
        for _ in segment.entries():
            segment.num_entries += 1
        return segment

    def append(self, entry):
        if self.closed_with is not None:
            raise AuditError(f"{self.name} is closed")
        self._store.append(self.name, to_line(entry) + "\n")
        self.num_entries += 1

    def close(self, digest):
        self._store.append(self.name, f"{TRAILER}{digest}\n")
        self.closed_with = digest

    def entries(self):
        """The entries as stored; notes the trailer when it comes by."""
        head, *lines = self._store.read(self.name).split("\n")
        if head != HEAD:
            raise AuditError(f"{self.name} begins with {head[:20]!r}")
        for line in lines:
            if line.startswith(TRAILER):
                self.closed_with = line.removeprefix(TRAILER)
            elif line:
                yield from_line(line)
