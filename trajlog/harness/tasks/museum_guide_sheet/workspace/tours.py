"""Tours through the museum."""

from dataclasses import dataclass, field


@dataclass
class Stop:
    room: str
    minutes: int
    remarks: list = field(default_factory=list)


@dataclass
class Tour:
    title: str
    settings: dict = field(default_factory=dict)
    stops: list = field(default_factory=list)

    @property
    def language(self):
        return self.settings.get("language", "en")

    @property
    def capacity(self):
        return int(self.settings.get("capacity", 15))

    def minutes(self, walk=2):
        """Time of the whole tour, with the walk from room to room."""
        return sum(stop.minutes for stop in self.stops) + walk * max(0, len(self.stops) - 1)

    def rooms(self):
        return [stop.room for stop in self.stops]


def crowded(tours, limit):
    """Rooms that more than `limit` tours visit, by name."""
    visits = {}
    for tour in tours:
        for room in dict.fromkeys(tour.rooms()):
            visits[room] = visits.get(room, 0) + 1
    return sorted(room for room, number in visits.items() if number > limit)
