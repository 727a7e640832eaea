"""The file that the timing mat writes: `bib seconds` in the order of crossing, `bib DNF` for who gave up."""

from dataclasses import dataclass


class TimingError(ValueError):
    """A line that the mat cannot have written."""


@dataclass(frozen=True)
class Crossing:
    bib: int
    seconds: int


def read_crossings(text):
    """Crossings and the set of bibs that gave up."""
    crossings, stopped = [], set()
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if not words:
            continue
        if len(words) != 2 or not words[0].isdigit():
            raise TimingError(f"line {number}: {line!r}")
        bib = int(words[0])
        if words[1] == "DNF":
            stopped.add(bib)
        elif words[1].isdigit():
            crossings.append(Crossing(bib, int(words[1])))
        else:
            raise TimingError(f"line {number}: time {words[1]!r}")
    return [crossing for crossing in crossings if crossing.bib not in stopped], stopped


def as_time(seconds):
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
