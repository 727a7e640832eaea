"""Files of lines, kept in memory."""


class StoreError(OSError):
    """A file that is not there, or is there already."""


class File:
    def __init__(self, name):
        self.name = name
        self.lines = []
        self.closed = False

    def append(self, line):
        if self.closed:
            raise StoreError(f"{self.name} is closed")
        self.lines.append(line)

    def close(self):
        self.closed = True


class Store:
    def __init__(self):
        self._files = {}

    def create(self, name):
        if name in self._files:
            raise StoreError(f"{name} exists")
        self._files[name] = File(name)
        return self._files[name]

    def read(self, name):
        try:
            return list(self._files[name].lines)
        except KeyError:
            raise StoreError(f"no file {name}") from None

    def remove(self, name):
        self._files.pop(name, None)

    def names(self, prefix=""):
        return sorted(name for name in self._files if name.startswith(prefix))

    def open_names(self):
        return sorted(name for name, file in self._files.items() if not file.closed)
