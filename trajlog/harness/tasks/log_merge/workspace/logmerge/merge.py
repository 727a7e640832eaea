"""One stream out of many."""

import heapq
from itertools import islice

from logmerge.filters import all_of
from logmerge.parse import parse


class Line:
    """An entry and where it came from."""

    def __init__(self, host, entry):
        self.host = host
        self.entry = entry

    def __str__(self):
        return f"{self.entry.clock} {self.host:<4}{self.entry.level:<6}{self.entry.message}"


def entries(lines, wanted):
    for line in lines:
        if not line.strip():
            continue
        entry = parse(line)
        if wanted(entry):
            yield entry


def merge(logs, *conditions):
    """Yield the lines of all logs by time. `logs` maps host names to iterables of text lines."""
    wanted = all_of(*conditions)
    streams = []
    for host, lines in logs.items():
        streams.append(Line(host, entry) for entry in entries(lines, wanted))
    return heapq.merge(*streams, key=lambda line: line.entry.seconds)


def head(stream, count):
    return list(islice(stream, count))


def render(stream):
    return "\n".join(map(str, stream))


def count_by_host(stream):
    counts = {}
    for line in stream:
        counts[line.host] = counts.get(line.host, 0) + 1
    return counts
