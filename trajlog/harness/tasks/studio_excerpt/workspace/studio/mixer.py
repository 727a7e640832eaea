"""Tracks and their sum."""

from itertools import zip_longest

from studio.deck import play


class Track:
    """A tape and the effects it goes through. The streams are kept for the level meters."""

    def __init__(self, deck, tape, *effects):
        self.tape = tape
        self._deck = deck
        self._effects = effects
        self._streams = []

    def open(self, block):
        self._streams.append(play(self._deck, self.tape, block))
        for effect in self._effects:
            self._streams.append(effect(self._streams[-1]))
        return self._streams[-1]

    def close(self):
        while self._streams:
            self._streams.pop().close()

    @property
    def stages(self):
        return len(self._streams)


def mix(tracks, block):
    """The sum of all tracks, block by block, until the last of them ends."""
    streams = [track.open(block) for track in tracks]
    live = list(streams)
    while live:
        total, ended = [0] * block, []
        for stream in live:
            part = next(stream, None)
            if part is None:
                ended.append(stream)
            else:
                total = [a + b for a, b in zip_longest(total, part, fillvalue=0)]
        live = [stream for stream in live if stream not in ended]
        if live:
            yield total
    for track in reversed(tracks):
        track.close()
