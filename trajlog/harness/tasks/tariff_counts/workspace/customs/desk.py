"""The desk where duties are looked up."""

from customs.codes import parent
from customs.counts import Counts
from customs.recent import Recent


class Entry:
    """A line in memory, with the look-ups not counted yet."""

    def __init__(self, line):
        self.line = line
        self.hits = 0

    def hit(self, count=1):
        self.hits += count
        return self.line


class Desk:
    def __init__(self, tariff, limit=50):
        self._tariff = tariff
        self._counts = Counts()
        self._recent = Recent(limit, lambda code: Entry(tariff.line(code)), self._on_drop)
        self.dropped = []

    def look_up(self, code):
        """The line of a code, or of the nearest one above."""
        return self._recent.use(self._tariff.nearest(code), Entry.hit)

    def duty(self, code, value_cents, kilos=0):
        """Duty in cents; a line without a rate has that of the line above it."""
        line = self.look_up(code)
        while line.percent is None and parent(line.code):
            line = self._recent.use(parent(line.code), lambda entry: entry.line)
        return round(value_cents * (line.percent or 0) / 100) + line.unit_cents * kilos

    def in_memory(self):
        return self._recent.keys()

    def close(self):
        """Count everything that is in memory; the desk can be used on."""
        self._recent.clear()

    def counts(self):
        return self._counts.all()

    def top(self, digits, count=3):
        return self._counts.top(digits, count)

    def chapters(self):
        return self._counts.chapters()

    def _on_drop(self, code, entry):
        self.dropped.append(code)
        self._counts.add(code, entry.hits)
        if parent(code) and entry.hits:
            self._recent.use(parent(code), lambda above: above.hit(entry.hits))
