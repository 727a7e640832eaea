"""Corridors in the air, each for one drone at a time."""

from collections import deque


class Tower:
    def __init__(self, corridors):
        self._free = list(corridors)
        self._line = deque()
        self._given = {}

    def ask(self, mission):
        self._line.append(mission)

    def withdraw(self, mission):
        """Take a mission out of the line."""
        self._line.remove(mission)

    def give_back(self, mission):
        self._free.append(self._given.pop(mission.name))
        self._free.sort()

    def assign(self):
        """Give free corridors to those in line; (mission, corridor) for each."""
        assigned = []
        while self._free and self._line:
            mission, corridor = self._line.popleft(), self._free.pop(0)
            self._given[mission.name] = corridor
            assigned.append((mission, corridor))
        return assigned

    def corridor(self, mission):
        return self._given.get(mission.name)

    def waiting(self):
        return [mission.name for mission in self._line]

    def free(self):
        return list(self._free)
