"""Seeded shuffling that keeps songs of one artist apart."""

from random import Random


def shuffled(songs, rng):
    """A new list in random order (Fisher-Yates, so that it only depends on `rng.random`)."""
    songs = list(songs)
    for last in range(len(songs) - 1, 0, -1):
        other = int(rng.random() * (last + 1))
        songs[last], songs[other] = songs[other], songs[last]
    return songs


def spread(songs):
    """Move songs so that no artist follows themselves, where that is possible in one pass."""
    waiting = list(songs)
    out = []
    while waiting:
        for index, song in enumerate(waiting):
            if not out or song.artist != out[-1].artist:
                break
        else:
            index = 0
        out.append(waiting.pop(index))
    return out


class Shuffler:
    def __init__(self, seed):
        self._rng = Random(seed)

    def round_of(self, songs):
        return spread(shuffled(songs, self._rng))
