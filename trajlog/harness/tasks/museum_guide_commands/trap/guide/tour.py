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
    """Through all rooms, and in every room through its tracks."""
    for room in rooms:
        command = yield from listen(room.announcement)
        track = 1 if command == "skip" else 0
        while track < len(room.tracks):
            command = yield from listen(room.track(track))
            if command == "back" and track == 0:
                yield from listen(room.announcement)
            elif command == "back":
                track -= 1
            else:
                track += 1


def tour(rooms):
    """Everything a visitor hears, the farewell included."""
    try:
        yield from walk(rooms)
    except Leave:
        pass
    yield FAREWELL
