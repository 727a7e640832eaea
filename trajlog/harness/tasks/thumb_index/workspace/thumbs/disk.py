"""A disk in memory with the few facts about files that matter here."""

from dataclasses import dataclass


class DiskError(OSError):
    pass


@dataclass(frozen=True)
class Stat:
    size: int
    mtime: int
    file_id: int


class Disk:
    def __init__(self, clock):
        self._clock = clock
        self._files = {}
        self._next_id = 1

    def write(self, path, text, mtime=None):
        """A new file, like editors do it: written beside the old one and renamed."""
        stat = Stat(len(text), self._clock() if mtime is None else mtime, self._next_id)
        self._next_id += 1
        self._files[path] = (text, stat)

    def restore(self, path, backup):
        """Copies a file over another one; the time stays that of the source."""
        text, stat = self._entry(backup)
        self.write(path, text, stat.mtime)

    def move(self, source, target):
        self._files[target] = self._entry(source)
        del self._files[source]

    def delete(self, path):
        self._entry(path)
        del self._files[path]

    def read(self, path):
        return self._entry(path)[0]

    def stat(self, path):
        return self._entry(path)[1]

    def listing(self, folder):
        prefix = folder.rstrip("/") + "/"
        return sorted(path for path in self._files if path.startswith(prefix) and "/" not in path[len(prefix):])

    def _entry(self, path):
        if path not in self._files:
            raise DiskError(f"no such file: {path}")
        return self._files[path]
