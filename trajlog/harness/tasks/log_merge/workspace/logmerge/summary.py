"""Numbers about a merged log."""

from collections import Counter
from dataclasses import dataclass, field

from logmerge.parse import LEVELS


@dataclass
class HostSummary:
    host: str
    levels: Counter = field(default_factory=Counter)
    first: int | None = None
    last: int | None = None
    longest_silence: int = 0

    def add(self, entry):
        self.levels[entry.level] += 1
        if self.last is not None:
            self.longest_silence = max(self.longest_silence, entry.seconds - self.last)
        if self.first is None:
            self.first = entry.seconds
        self.last = entry.seconds

    def __str__(self):
        counts = " ".join(f"{level}={self.levels[level]}" for level in LEVELS if self.levels[level])
        return f"{self.host}: {counts}, {self.last - self.first}s, longest silence {self.longest_silence}s"


def summarize(stream):
    """Summary by host, in the order in which the hosts appear."""
    found = {}
    for line in stream:
        if line.host not in found:
            found[line.host] = HostSummary(line.host)
        found[line.host].add(line.entry)
    return list(found.values())


def bursts(stream, count, seconds):
    """Yield (host, time of the first line) where a host wrote `count` lines within so many seconds."""
    recent = {}
    for line in stream:
        times = recent.setdefault(line.host, [])
        times.append(line.entry.seconds)
        if len(times) > count:
            del times[0]
        if len(times) == count and times[-1] - times[0] <= seconds:
            yield line.host, times[0]
            times.clear()
