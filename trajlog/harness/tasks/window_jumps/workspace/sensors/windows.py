"""Cut a stream of readings into windows."""

from itertools import groupby


class Window:
    """The readings of `start <= minute < start + minutes`."""

    def __init__(self, number, minutes, readings):
        self.number = number
        self.start = number * minutes
        self.end = self.start + minutes
        self.readings = readings

    @property
    def label(self):
        return f"{self.start // 60:02d}:{self.start % 60:02d}-{self.end // 60:02d}:{self.end % 60:02d}"


def windows(readings, minutes):
    """Yield the windows that have readings, by time."""
    if minutes < 1:
        raise ValueError(f"a window of {minutes} minutes")
    for number, group in groupby(readings, key=lambda reading: int(reading.minute // minutes)):
        yield Window(number, minutes, group)
