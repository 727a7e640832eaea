"""The files that a run has opened."""

from backups.volume import VolumeError


class FileSet:
    """Opens files together and closes them together."""

    def __init__(self, run, volume):
        self._run = run
        self._volume = volume
        self._open = []

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
                self._run.note(f"cannot open {path}: {error}")
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
        raise VolumeError(f"{path} is not part of {self._run.name}")

    def release(self):
        """Close the files of a run that was dropped."""
        count = self.close()
        if count:
            self._run.note(f"released {count} files")

    def total(self):
        return sum(len(file.read()) for file in self._open)
