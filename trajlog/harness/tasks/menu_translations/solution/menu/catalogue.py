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
        self._known = {}
        self._entries = None
        self._is_complete = False

    def find(self, original):
        if original in self._known or self._is_complete:
            return self._known.get(original)
        for found, translation in self._read():
            if found == original:
                return translation
        return None

    def all(self):
        if not self._is_complete:
            for _ in self._read():
                pass
        return dict(self._known)

    def _read(self):
        """Go on reading, remembering each entry."""
        if self._entries is None:
            self._entries = entries(self._store.lines(self.language), self.language)
        try:
            for original, translation in self._entries:
                self._known.setdefault(original, translation)
                yield original, translation
        except CatalogueError:
            self._entries = None
            self._known.clear()
            raise
        self._is_complete = True
