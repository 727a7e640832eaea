"""The course of a tour as a coroutine: it yields clips and is sent commands (None when a clip ended by itself)."""

from guide.rooms import FAREWELL, SILENCE

COMMANDS = ("skip", "back", "pause", "play", "leave")


class Leave(Exception):
    """The visitor wants to go."""


def listen(clip):
    """Play a clip, pauses included; returns "skip", "back" or None."""
    while True:
        command = yield clip
        if command == "pause":
            while command not in ("play", "leave"):
                command = yield SILENCE
        if command == "leave":
            raise Leave
        if command != "play":
            return command


def walk(rooms):
    """Through all rooms. A place is (room, track); track -1 is the announcement at the door."""
    room, track = 0, -1
    while room < len(rooms):
        if track < 0:
            command = yield from listen(rooms[room].announcement)
        else:
            command = yield from listen(rooms[room].track(track))
        if command == "back":
            if track >= 0:
                track -= 1
            elif room > 0:
                room -= 1
                track = len(rooms[room].tracks) - 1
        else:
            track += 2 if command == "skip" and track < 0 else 1
        if track >= len(rooms[room].tracks):
            room, track = room + 1, -1


def tour(rooms):
    """Everything a visitor hears, the farewell included."""
    try:
        yield from walk(rooms)
    except Leave:
        pass
    yield FAREWELL
