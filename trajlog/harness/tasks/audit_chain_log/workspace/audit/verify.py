"""Looks for changes in a log."""

from dataclasses import dataclass

from audit.entry import START


@dataclass(frozen=True)
class Finding:
    number: int
    text: str

    def __str__(self):
        return f"entry {self.number}: {self.text}"


def check_entries(entries):
    """Findings in a run of entries that begins with the first one of the log."""
    previous, expected = START, 1
    for entry in entries:
        if entry.number != expected:
            yield Finding(entry.number, f"number {expected} was expected")
        if entry.previous != previous:
            yield Finding(entry.number, "chain is interrupted")
        if not entry.is_intact:
            yield Finding(entry.number, "digest does not match")
        previous, expected = entry.digest, entry.number + 1


def check_trailers(segments):
    for segment in segments:
        last = None
        for last in segment.entries():
            pass
        if last is not None and segment.closed_with not in (None, last.digest):
            yield Finding(last.number, f"{segment.name} was closed with another entry")


def verify(log):
    return [*check_entries(log.entries()), *check_trailers(log.segments)]
