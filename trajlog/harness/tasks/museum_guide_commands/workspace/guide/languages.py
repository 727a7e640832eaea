"""Tracks in other languages."""

from guide.rooms import Room


class Catalogue:
    """Texts by language; what is missing is spoken in the museum's own language."""

    def __init__(self, own="en"):
        self.own = own
        self._texts = {}

    def read(self, text):
        """Lines `language: text = translation`."""
        for number, line in enumerate(text.splitlines(), 1):
            if not line.strip():
                continue
            language, colon, rest = line.partition(":")
            original, equals, translation = rest.partition("=")
            if not colon or not equals:
                raise ValueError(f"line {number}: language: text = translation expected")
            self._texts[language.strip(), original.strip()] = translation.strip()
        return self

    def text(self, original, language):
        return self._texts.get((language, original), original)

    def rooms(self, rooms, language):
        """The rooms in a language."""
        if language == self.own:
            return list(rooms)
        return [
            Room(self.text(room.name, language), [self.text(track, language) for track in room.tracks])
            for room in rooms
        ]

    def missing(self, rooms, language):
        names = [name for room in rooms for name in (room.name, *room.tracks)]
        return [name for name in names if (language, name) not in self._texts]
