"""Songs and playlists."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Song:
    artist: str
    title: str
    seconds: int

    def line(self):
        return f"{self.artist} - {self.title}"


class Playlist:
    """Songs in order; the same artist never twice in a row, if it can be helped."""

    def __init__(self, songs=()):
        self._songs = []
        for song in songs:
            self.add(song)

    def __len__(self):
        return len(self._songs)

    def add(self, song):
        self._songs.append(song)

    def seconds(self):
        return sum(song.seconds for song in self._songs)

    def take(self, last_artist=None):
        """Remove and return the next song."""
        for index, song in enumerate(self._songs):
            if song.artist != last_artist:
                return self._songs.pop(index)
        return self._songs.pop(0)
