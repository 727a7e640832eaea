"""Whole logs."""

from shiplog.columns import STANDARD, Layout
from shiplog.entries import LogError, parse_entry


class ShipLog:
    """Entries of a day; the last one for a time counts if it is a correction."""

    def __init__(self, layout=STANDARD):
        self.layout = layout
        self.entries = []
        self.errors = []

    @classmethod
    def parse(cls, text):
        """An optional first line `columns time@1 ...`; blank lines are skipped, bad ones collected in `errors`."""
        log = cls()
        for line_number, line in enumerate(text.splitlines(), 1):
            if not line.strip():
                continue
            if line.startswith("columns "):
                log.layout = Layout.parse(line.removeprefix("columns "))
                continue
            try:
                log.add(parse_entry(line, log.layout))
            except LogError as error:
                log.errors.append((line_number, str(error)))
        return log

    def add(self, entry):
        if "corrected" in entry.marks:
            self.entries = [old for old in self.entries if old.minute != entry.minute]
        self.entries.append(entry)
        self.entries.sort(key=lambda found: found.minute)

    def miles(self):
        """Distance by speed and time between the entries that have a speed."""
        known = [entry for entry in self.entries if entry.speed is not None]
        return sum(a.speed * (b.minute - a.minute) / 60 for a, b in zip(known, known[1:], strict=False))

    def rows(self):
        return [(entry.time, entry.latitude, entry.longitude, entry.course, entry.speed, entry.remark)
                for entry in self.entries]
