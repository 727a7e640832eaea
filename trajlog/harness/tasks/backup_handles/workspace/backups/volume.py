"""A volume: files with versions, and a limit of open ones."""


class VolumeError(OSError):
    """The volume cannot do that."""


class OpenFile:
    """A file as it was when it was opened."""

    def __init__(self, volume, path, version, content):
        self.path = path
        self.version = version
        self._volume = volume
        self._content = content
        self.is_open = True

    def read(self):
        if not self.is_open:
            raise VolumeError(f"{self.path} is closed")
        if self.path in self._volume.bad:
            raise VolumeError(f"{self.path} is damaged")
        return self._content

    def close(self):
        if self.is_open:
            self.is_open = False
            self._volume.num_open -= 1


class Volume:
    def __init__(self, name, limit=8):
        self.name = name
        self.bad = set()
        self.num_open = 0
        self._limit = limit
        self._files = {}
        self._version = 0

    def write(self, path, content):
        self._version += 1
        self._files[path] = (self._version, content)

    def delete(self, path):
        del self._files[path]

    def versions(self):
        return {path: version for path, (version, _) in sorted(self._files.items())}

    def open(self, path):
        if path not in self._files:
            raise VolumeError(f"no file {path}")
        if self.num_open >= self._limit:
            raise VolumeError("too many open files")
        self.num_open += 1
        return OpenFile(self, path, *self._files[path])
