"""Answers that are kept for a while."""


class Kept:
    """Values by key, good for `max_age` hours of `clock`."""

    def __init__(self, max_age, clock):
        self._max_age = max_age
        self._clock = clock
        self._values = {}

    def get(self, key, make):
        kept = self._values.get(key)
        now = self._clock()
        if kept is not None and now - kept[0] < self._max_age:
            return kept[1]
        value = make()
        self._values[key] = (now, value)
        return value

    def drop(self, key):
        self._values.pop(key, None)

    def __len__(self):
        return len(self._values)
