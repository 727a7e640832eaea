"""Heights between high and low water."""

from bisect import bisect_right
from math import cos, pi

from tides.events import TideError


class Curve:
    """Half a cosine between each two events."""

    def __init__(self, events):
        self._events = events
        self._times = [event.when for event in events]

    def height(self, when):
        """Centimetres, rounded."""
        upper = bisect_right(self._times, when)
        if upper and self._times[upper - 1] == when:
            return self._events[upper - 1].height
        if upper in (0, len(self._events)):
            raise TideError(f"{when} is outside of the table")
        low, high = self._events[upper - 1], self._events[upper]
        share = (when - low.when) / (high.when - low.when)
        return round(low.height + (high.height - low.height) * (1 - cos(pi * share)) / 2)

    def is_rising(self, when):
        upper = bisect_right(self._times, when)
        return upper < len(self._events) and self._events[upper].is_high
