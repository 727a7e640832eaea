"""Source files, held in memory."""

from hashlib import sha256

from builder.errors import NoSuchFile


def digest(text):
    return sha256(text.encode("utf-8")).hexdigest()[:16]


class Files:
    def __init__(self, texts=None):
        self._texts = dict(texts or {})

    def write(self, name, text):
        self._texts[name] = text

    def remove(self, name):
        self._texts.pop(name)

    def read(self, name):
        if name not in self._texts:
            raise NoSuchFile(f"no such file: {name}")
        return self._texts[name]

    def names(self):
        return sorted(self._texts)
