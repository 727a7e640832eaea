"""An album: one line of text for each photo, `name|taken|bytes|tag,tag`."""

from albumfile.cursor import Cursor


class AlbumError(ValueError):
    """A line that is no photo."""


class Album:
    def __init__(self, text=""):
        self._lines = [line for line in text.splitlines() if line.strip()]
        for number, line in enumerate(self._lines, start=1):
            if line.count("|") != 3:
                raise AlbumError(f"photo {number}: {line!r}")

    def __len__(self):
        return len(self._lines)

    def append(self, name, taken, size, tags=()):
        if "|" in name:
            raise AlbumError(f"name {name!r}")
        self._lines.append(f"{name}|{taken}|{size}|{','.join(tags)}")

    def cursor(self):
        return Cursor(self._lines)

    def text(self):
        return "\n".join(self._lines)
