"""The programme of all rooms."""

from confplan.room import Room, SlotTaken
from confplan.talks import Talk


class UnknownTalk(LookupError):
    """There is no talk with this title."""


class Programme:
    def __init__(self, seats):
        self._rooms = {name: Room(name, number) for name, number in seats.items()}
        self._room_of = {}

    def add(self, room, title, speaker, start, minutes=30):
        if title in self._room_of:
            raise ValueError(f"{title} is already in the programme")
        self._check_speaker(speaker, start, minutes)
        self._rooms[room].add(Talk(title, speaker, start, minutes))
        self._room_of[title] = room

    def talk(self, title):
        for talk in self._rooms[self._room(title)]:
            if talk.title == title:
                return talk
        raise UnknownTalk(title)

    def move(self, title, start, room=None):
        """Move a talk to another time and perhaps another room."""
        talk, source = self.talk(title), self._rooms[self._room(title)]
        target = self._rooms[room or source.name]
        before, talk.start = talk.start, start
        try:
            target.add(talk)
        except SlotTaken:
            talk.start = before
            raise
        source.remove(talk)
        self._room_of[title] = target.name

    def postpone(self, day, minutes):
        """Everything of a day begins later, or earlier with negative minutes."""
        for room in self._rooms.values():
            talks = room.between((day, 0), (day + 1, 0))
            for talk in talks:
                room.remove(talk)
            for talk in talks:
                talk.start = (day, talk.start[1] + minutes)
                room.add(talk)

    def cancel(self, title):
        self._rooms[self._room(title)].remove(self.talk(title))
        del self._room_of[title]

    def now_in(self, room, time):
        talk = self._rooms[room].at(time)
        return talk.title if talk else None

    def next_in(self, room, time):
        talk = self._rooms[room].next_after(time)
        return talk.title if talk else None

    def day_plan(self, day):
        """A dict of room and the labels of its talks on that day."""
        return {
            name: [talk.label() for talk in room.between((day, 0), (day + 1, 0))]
            for name, room in self._rooms.items()
        }

    def of_speaker(self, speaker):
        talks = [talk for room in self._rooms.values() for talk in room if talk.speaker == speaker]
        return [talk.title for talk in sorted(talks, key=lambda talk: talk.start)]

    def _room(self, title):
        try:
            return self._room_of[title]
        except KeyError:
            raise UnknownTalk(title) from None

    def _check_speaker(self, speaker, start, minutes):
        end = (start[0], start[1] + minutes)
        for room in self._rooms.values():
            for talk in room:
                if talk.speaker == speaker and talk.start < end and start < talk.end:
                    raise SlotTaken(f"{speaker} speaks in {room.name} at that time")
