"""Rooms of the house."""


class Full(RuntimeError):
    """No room of that kind on one of the nights."""


class House:
    def __init__(self, rooms):
        self._rooms = dict(rooms)
        self._taken = {}

    def free(self, kind, night):
        return self._rooms[kind] - self._taken.get((kind, night), 0)

    def has_room(self, stay):
        return all(self.free(stay.kind, night) > 0 for night in stay.nights())

    def book(self, stay):
        if not self.has_room(stay):
            raise Full(f"{stay.kind} {stay.first}-{stay.last}")
        for night in stay.nights():
            self._taken[stay.kind, night] = self._taken.get((stay.kind, night), 0) + 1

    def release(self, stay):
        for night in stay.nights():
            self._taken[stay.kind, night] -= 1
