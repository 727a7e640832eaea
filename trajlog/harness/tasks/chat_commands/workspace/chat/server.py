"""Rooms by name."""

from chat.commands import CommandError


class Server:
    def __init__(self):
        self._rooms = {}

    def open(self, room):
        if room.name in self._rooms:
            raise CommandError(f"room {room.name} exists")
        self._rooms[room.name] = room
        return room

    def say(self, room_name, author, text):
        """Posts; errors come back as the text that the author sees."""
        room = self._rooms.get(room_name)
        if room is None:
            return f"no room {room_name}"
        try:
            return room.post(author, text)
        except CommandError as error:
            return f"error: {error}"
