"""The talks of one room."""

from bisect import bisect_left, bisect_right, insort


def start_of(talk):
    return talk.start


class SlotTaken(ValueError):
    """Two talks in one room at one time."""


class Room:
    def __init__(self, name, seats):
        self.name = name
        self.seats = seats
        self._talks = []

    def __iter__(self):
        return iter(self._talks)

    def at(self, time):
        """The talk that runs at `time`, or None."""
        index = bisect_right(self._talks, time, key=start_of)
        if index and self._talks[index - 1].covers(time):
            return self._talks[index - 1]
        return None

    def next_after(self, time):
        """The next talk that begins later than `time`, or None."""
        index = bisect_right(self._talks, time, key=start_of)
        return self._talks[index] if index < len(self._talks) else None

    def is_free(self, start, end):
        if self.at(start) is not None:
            return False
        index = bisect_left(self._talks, start, key=start_of)
        return index == len(self._talks) or self._talks[index].start >= end

    def add(self, talk):
        if not self.is_free(talk.start, talk.end):
            raise SlotTaken(f"{self.name}: {talk.label()}")
        insort(self._talks, talk, key=start_of)

    def remove(self, talk):
        self._talks.remove(talk)

    def between(self, first, last):
        """Talks that begin from `first` on and before `last`."""
        low = bisect_left(self._talks, first, key=start_of)
        return self._talks[low : bisect_left(self._talks, last, key=start_of)]
