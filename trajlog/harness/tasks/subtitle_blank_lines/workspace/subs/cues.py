"""Cues: texts with the time at which they are shown."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Cue:
    start: int
    end: int
    text: str

    def __post_init__(self):
        if self.end <= self.start:
            raise ValueError(f"cue ends at {self.end}, starts at {self.start}")

    @property
    def lines(self):
        return self.text.split("\n")


def shifted(cues, ms):
    """All cues later (or, with a negative number, earlier); what would start before the film is dropped."""
    return [replace(cue, start=cue.start + ms, end=cue.end + ms) for cue in cues if cue.start + ms >= 0]


def overlaps(cues):
    """Numbers (from 1) of the cues that start before the one in front of them ends."""
    pairs = enumerate(zip(cues, cues[1:], strict=False), 2)
    return [number for number, (before, cue) in pairs if cue.start < before.end]


def reading_speed(cue):
    """Characters a second."""
    return round(1000 * sum(map(len, cue.lines)) / (cue.end - cue.start), 1)
