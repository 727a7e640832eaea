"""Catalogues: lines `original = translation`, `#` for comments; the first entry of a dish counts."""


class CatalogueError(ValueError):
    """A line of a catalogue cannot be read."""


def entries(lines, language):
    for number, line in enumerate(lines, start=1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        original, sign, translation = line.partition("=")
        if not sign or not translation.strip():
            raise CatalogueError(f"{language}, line {number}: {line!r}")
        yield original.strip(), translation.strip()


class Catalogue:
    """Reads only as far as it has to."""

    def __init__(self, language, store):
        self.language = language
        self._store = store
        self._known = None

    def find(self, original):
        if self._known is not None and original in self._known:
            return self._known[original]
        for found, translation in self._read():
            if found == original:
                return translation
        return None

    def all(self):
        if self._known is None:
            for _ in self._read():
                pass
        return dict(self._known)

    def _read(self):
        """Read from the top, remembering each entry."""
        self._known = {}
        for original, translation in entries(self._store.lines(self.language), self.language):
            self._known.setdefault(original, translation)
            yield original, translation
