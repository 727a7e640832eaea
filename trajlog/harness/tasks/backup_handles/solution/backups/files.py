"""The files that a run has opened."""

import weakref

from backups.volume import VolumeError


def _release(files, name, journal):
    """Close the files of a run that was dropped."""
    count = len(files)
    while files:
        files.pop().close()
    if count:
        journal.note(name, f"released {count} files")


class FileSet:
    """Opens files together and closes them together."""

    def __init__(self, name, volume, journal):
        self._name = name
        self._volume = volume
        self._journal = journal
        self._open = []
        weakref.finalize(self, _release, self._open, name, journal)

    def __len__(self):
        return len(self._open)

    def __iter__(self):
        return iter(self._open)

    def open_all(self, paths):
        """Open all of the files or none."""
        for path in paths:
            try:
                self._open.append(self._volume.open(path))
            except VolumeError as error:
                self._journal.note(self._name, f"cannot open {path}: {error}")
                self.close()
                raise

    def close(self):
        """How many files were open."""
        count = len(self._open)
        while self._open:
            self._open.pop().close()
        return count

    def read(self, path):
        for file in self._open:
            if file.path == path:
                return file.read()
        raise VolumeError(f"{path} is not part of {self._name}")

    def total(self):
        return sum(len(file.read()) for file in self._open)
