"""Highest means of logs."""

from dataclasses import dataclass

from solar.window import HoldWindow

DAY = 86400


@dataclass(frozen=True)
class Peak:
    """The mean over the window that ends at `second`."""

    second: int
    watts: float

    def label(self):
        minutes = self.second % DAY // 60
        return f"{minutes // 60:02}:{minutes % 60:02} {self.watts:.0f} W"


def pieces(log):
    """Pieces of constant power; the last report ends the log."""
    before = None
    for second, watts in log:
        if before is not None:
            yield before[0], second, before[1]
        before = (second, watts)


def highest(log, width=900):
    """The first of the windows with the highest mean that end at a report; partial ones only if none is full."""
    window = HoldWindow(width)
    full = partial = None
    for begin, end, watts in pieces(log):
        window.push(begin, end, watts)
        peak = Peak(end, window.mean())
        if window.covered < width:
            if partial is None or peak.watts > partial.watts:
                partial = peak
        elif full is None or peak.watts > full.watts:
            full = peak
    return full or partial or Peak(0, 0.0)


def daily_peaks(log, width=900):
    """Day number to the highest full window that ends in it."""
    window = HoldWindow(width)
    days = {}
    for begin, end, watts in pieces(log):
        window.push(begin, end, watts)
        if window.covered < width:
            continue
        day = (end - 1) // DAY
        if day not in days or window.mean() > days[day].watts:
            days[day] = Peak(end, window.mean())
    return days
