"""The station: what the studio software calls."""

from radio.commands import Ban, Request, Skip
from radio.player import Player
from radio.programme import Desk, programme
from radio.shuffle import Shuffler


class Volume:
    """0 to 11."""

    def __init__(self, level=5):
        self.level = level

    def change(self, by):
        self.level = max(0, min(11, self.level + by))
        return self.level


class Station:
    def __init__(self, library, seed=0, headlines=(), news_every=3, rounds=None):
        self._desk = Desk(library, Shuffler(seed))
        self._player = Player(programme(self._desk, headlines, news_every, rounds))
        self._volume = Volume()
        self.played = []

    @property
    def now(self):
        """What is heard now, as text."""
        return str(self._player.current) if self._player.current else "silence"

    @property
    def minutes(self):
        return self._player.elapsed // 60

    def play(self, count=1):
        """Go on by `count` segments; returns them as texts."""
        heard = []
        for _ in range(count):
            segment = self._player.advance()
            if segment is None:
                break
            heard.append(str(segment))
            self._note(segment)
        return heard

    def request(self, title):
        return self._player.command(Request(title))

    def ban(self, title):
        return self._player.command(Ban(title))

    def skip(self):
        segment = self._player.command(Skip())
        if segment is not None:
            self._note(segment)
        return self.now

    def volume(self, by=0):
        return self._volume.change(by)

    def upcoming(self):
        """Titles in line, requests first."""
        return [song.title for song in (*self._desk.requests, *self._desk.due)]

    def _note(self, segment):
        if segment.kind == "song":
            self.played.append(segment.text)
