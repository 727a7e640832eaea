"""The calendar itself."""

from datetime import date, datetime

from agenda.codec import registry


def _sort_key(entry):
    start = entry.start
    return start if isinstance(start, datetime) else datetime(start.year, start.month, start.day)


class Book:
    def __init__(self, owner, entries=()):
        self.owner = owner
        self.entries = list(entries)

    def add(self, entry):
        self.entries.append(entry)
        self.entries.sort(key=_sort_key)
        return entry

    def on(self, day: date):
        """Titles of the day; those with a clock time have it in front."""
        titles = []
        for entry in self.entries:
            if entry.covers(day):
                clock = f"{entry.start:%H:%M} " if isinstance(entry.start, datetime) else ""
                titles.append(clock + entry.title)
        return titles

    def save(self, path):
        path.write_text(registry.dumps({"owner": self.owner, "entries": self.entries}), encoding="utf-8")

    @classmethod
    def load(cls, path):
        return cls(**registry.loads(path.read_text(encoding="utf-8")))
