"""What visitors listen to."""

from collections import Counter


class Audience:
    """Counts the clips of many players."""

    def __init__(self):
        self._tracks = Counter()
        self._doors = Counter()

    def __call__(self, clip):
        if clip.kind == "track":
            self._tracks[clip.text] += 1
        elif clip.kind == "door":
            self._doors[clip.text.rpartition(",")[0]] += 1

    def favourites(self, count=3):
        return sorted(self._tracks.items(), key=lambda item: (-item[1], item[0]))[:count]

    def unheard(self, rooms):
        return [track for room in rooms for track in room.tracks if track not in self._tracks]

    def per_room(self, rooms):
        return {room.name: self._doors[room.name] for room in rooms}
