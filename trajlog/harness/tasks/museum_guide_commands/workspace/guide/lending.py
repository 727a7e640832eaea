"""The desk that lends the devices."""

from guide.player import Player
from guide.statistics import Audience


class Desk:
    def __init__(self, rooms, devices=3):
        self._rooms = rooms
        self._free = list(range(1, devices + 1))
        self._lent = {}
        self.audience = Audience()

    def lend(self, visitor):
        if not self._free:
            raise LookupError("all devices are lent")
        if visitor in self._lent:
            raise ValueError(f"{visitor} has a device already")
        number = self._free.pop(0)
        player = Player(self._rooms, self.audience)
        self._lent[visitor] = (number, player)
        return player

    def take_back(self, visitor):
        """Returns how much was heard."""
        number, player = self._lent.pop(visitor)
        self._free.append(number)
        self._free.sort()
        return len(player.heard)

    def report(self):
        rooms = ", ".join(f"{name} {count}" for name, count in self.audience.per_room(self._rooms).items())
        best = ", ".join(f"{track} {count}" for track, count in self.audience.favourites())
        return [f"rooms: {rooms}", f"best: {best}", f"devices out: {len(self._lent)}"]
