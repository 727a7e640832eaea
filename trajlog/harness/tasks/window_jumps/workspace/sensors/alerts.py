"""Alerts for the people on duty."""

from dataclasses import dataclass

from sensors.report import jumps
from sensors.stats import Stats
from sensors.windows import windows


@dataclass(frozen=True)
class Rule:
    """When to tell whom."""

    name: str
    low: float = float("-inf")
    high: float = float("inf")
    min_count: int = 1

    def broken_by(self, stats):
        return stats.count >= self.min_count and not self.low <= stats.mean <= self.high


class AlertBook:
    """Alerts by name; one that goes on over several windows is noted once, with its last window."""

    def __init__(self, rules):
        self._rules = list(rules)
        self.open = {}
        self.closed = []

    def watch(self, readings, minutes):
        for window in windows(readings, minutes):
            stats = Stats(window.readings)
            for rule in self._rules:
                if rule.broken_by(stats):
                    first, _ = self.open.get(rule.name, (window.start, None))
                    self.open[rule.name] = (first, window.end)
                elif rule.name in self.open:
                    self.closed.append((rule.name, *self.open.pop(rule.name)))
        return self

    def lines(self):
        spans = [*self.closed, *((name, *span) for name, span in self.open.items())]
        return [f"{name}: {clock(start)}-{clock(end)}" for name, start, end in spans]


def clock(minute):
    return f"{minute // 60:02d}:{minute % 60:02d}"


def jump_lines(readings, minutes, limit):
    """The jumps as text."""
    lines = []
    for start, change in jumps(readings, minutes, limit):
        lines.append(f"{clock(start)} " + (change if isinstance(change, str) else f"{change:+.2f}"))
    return lines
