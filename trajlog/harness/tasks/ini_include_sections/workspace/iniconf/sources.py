"""Where files come from. Names are relative, with `/` between the parts."""

from pathlib import Path
from posixpath import dirname, join, normpath


class DictSource:
    def __init__(self, texts):
        self._texts = texts

    def read(self, name):
        return self._texts[name]


class FolderSource:
    def __init__(self, folder):
        self._folder = Path(folder)

    def read(self, name):
        path = self._folder / name
        if not path.is_file():
            raise KeyError(name)
        return path.read_text(encoding="utf-8")


def beside(name, other):
    """The name of `other` as seen from the file `name`."""
    return normpath(join(dirname(name), other))
