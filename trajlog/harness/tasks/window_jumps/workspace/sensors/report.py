"""Reports on windows."""

from itertools import pairwise

from sensors.reading import valid
from sensors.stats import Stats
from sensors.windows import windows


def summary(readings, minutes):
    return [f"{window.label} {Stats(window.readings)}" for window in windows(valid(readings), minutes)]


def difference(window, later):
    """How the mean changes; None if it cannot be said."""
    one, other = Stats(window.readings).mean, Stats(later.readings).mean
    if one is None or other is None:
        return None
    return round(other - one, 2)


def jumps(readings, minutes, limit):
    found = []
    for window, later in pairwise(windows(valid(readings), minutes)):
        if later.number != window.number + 1:
            found.append((later.start, "gap"))
            continue
        change = difference(window, later)
        if change is None:
            found.append((later.start, "no data"))
        elif abs(change) >= limit:
            found.append((later.start, change))
    return found


def longest_calm(readings, minutes, limit):
    """The labels of the longest run of windows without a jump; the first one on a tie."""
    best, run = [], []
    last = None
    for window in windows(valid(readings), minutes):
        if last is not None and (window.number != last.number + 1 or abs(difference(last, window)) >= limit):
            run = []
        run = [*run, window.label]
        best = max(best, run, key=len)
        last = window
    return best
