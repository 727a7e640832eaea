"""Messages and their translations."""

from dataclasses import dataclass, field


@dataclass
class Entry:
    source: str
    target: str = ""
    comments: list = field(default_factory=list)
    is_fuzzy: bool = False


class Catalogue:
    def __init__(self, language, entries=()):
        self.language = language
        self._entries = {}
        for entry in entries:
            self.add(entry)

    def __iter__(self):
        return iter(self._entries.values())

    def __len__(self):
        return len(self._entries)

    def add(self, entry):
        if entry.source in self._entries:
            raise ValueError(f"{entry.source!r} is there already")
        self._entries[entry.source] = entry

    def translate(self, source):
        """The translation, or the source where there is none that can be trusted."""
        entry = self._entries.get(source)
        if entry is None or entry.is_fuzzy or not entry.target:
            return source
        return entry.target

    def progress(self):
        """(done, fuzzy, open)"""
        fuzzy = sum(entry.is_fuzzy for entry in self)
        done = sum(bool(entry.target) and not entry.is_fuzzy for entry in self)
        return done, fuzzy, len(self) - fuzzy - done
