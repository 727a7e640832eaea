"""Plays a list of songs. Time passes only by `advance`."""

from airwave.listeners import Listeners


class Silence(RuntimeError):
    """There is nothing to play."""


class Player:
    def __init__(self, playlist, jingle_every=3):
        self._playlist = playlist
        self._jingle_every = jingle_every
        self._song_listeners = Listeners()
        self._jingle_listeners = Listeners()
        self._left = 0
        self._number = 0
        self.current = None

    def on_song(self, call):
        self._song_listeners.add(call)

    def off_song(self, call):
        self._song_listeners.discard(call)

    def on_jingle(self, call):
        self._jingle_listeners.add(call)

    def audience(self):
        return len(self._song_listeners)

    def start(self):
        if not len(self._playlist):
            raise Silence("the playlist is empty")
        self._next()

    def advance(self, seconds):
        """Let time pass; the songs that began meanwhile are announced."""
        while seconds >= self._left:
            seconds -= self._left
            if not len(self._playlist):
                self._left, self.current = 0, None
                return
            self._next()
        self._left -= seconds

    def _next(self):
        if self._number and self._number % self._jingle_every == 0:
            self._jingle_listeners.tell(self._number)
        self.current = self._playlist.take(self.current.artist if self.current else None)
        self._left = self.current.seconds
        self._number += 1
        self._song_listeners.tell(self.current)
