"""The library of songs."""

import json
from dataclasses import dataclass


class LibraryError(ValueError):
    """The library is not usable."""


@dataclass(frozen=True)
class Song:
    title: str
    artist: str
    seconds: int = 180


class Library:
    def __init__(self, songs):
        self._songs = {}
        for song in songs:
            if song.title in self._songs:
                raise LibraryError(f"{song.title} is there twice")
            self._songs[song.title] = song
        if not self._songs:
            raise LibraryError("no songs")

    def __iter__(self):
        return iter(self._songs.values())

    def __len__(self):
        return len(self._songs)

    def get(self, title):
        return self._songs.get(title)

    @classmethod
    def load(cls, path):
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)
        return cls(Song(row["title"], row["artist"], row.get("seconds", 180)) for row in rows)
