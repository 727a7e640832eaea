"""Rooms of the museum and their tracks."""

import csv
import io
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Clip:
    """Something that can be heard."""

    kind: str
    text: str

    def __str__(self):
        return f"{self.kind}: {self.text}"


@dataclass
class Room:
    name: str
    tracks: list = field(default_factory=list)

    @property
    def announcement(self):
        return Clip("door", f"{self.name}, {len(self.tracks)} tracks")

    def track(self, number):
        return Clip("track", self.tracks[number])


FAREWELL = Clip("end", "Thank you for your visit")
SILENCE = Clip("hold", "...")


def read_rooms(text):
    """Rooms from `room,track` lines, in the order of their first track."""
    rooms = {}
    for row in csv.reader(io.StringIO(text)):
        if len(row) != 2:
            raise ValueError(f"room and track expected: {row}")
        name, track = (cell.strip() for cell in row)
        rooms.setdefault(name, Room(name)).tracks.append(track)
    return list(rooms.values())
