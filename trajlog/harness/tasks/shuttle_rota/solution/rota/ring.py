"""A round of members, of which one is next."""

from bisect import bisect


class Ring:
    """Members in the order of `key`. Iterating goes once round, from the one who is next."""

    def __init__(self, key):
        self._key = key
        self._members = []
        self._next = 0

    def __len__(self):
        return len(self._members)

    def __iter__(self):
        members = list(self._members)
        yield from members[self._next :]
        yield from members[: self._next]

    def add(self, member):
        keys = [self._key(other) for other in self._members]
        place = bisect(keys, self._key(member))
        self._members.insert(place, member)
        if place <= self._next and len(self._members) > 1:
            self._next += 1

    def remove(self, member):
        place = self._members.index(member)
        del self._members[place]
        if place < self._next:
            self._next -= 1
        elif self._next == len(self._members):
            self._next = 0

    def turn_to_after(self, member):
        """The one behind `member` is next."""
        self._next = (self._members.index(member) + 1) % len(self._members)
