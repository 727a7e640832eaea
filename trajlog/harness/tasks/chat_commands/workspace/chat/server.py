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

    def rooms_of(self, member):
        return sorted(name for name, room in self._rooms.items() if member in room.members)

    def news(self, member):
        """room -> lines which the member has not seen yet, for rooms that have any."""
        found = {name: self._rooms[name].history.unread(member) for name in self.rooms_of(member)}
        return {name: lines for name, lines in found.items() if lines}

    def quit(self, member):
        for name in self.rooms_of(member):
            self._rooms[name].part(member)

    def say(self, room_name, author, text):
        """Posts; errors come back as the text that the author sees."""
        room = self._rooms.get(room_name)
        if room is None:
            return f"no room {room_name}"
        try:
            return room.post(author, text)
        except CommandError as error:
            return f"error: {error}"
