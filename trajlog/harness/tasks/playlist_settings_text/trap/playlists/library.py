"""Playlists by name, kept as texts."""

from playlists.model import Playlist, Track
from playlists.textform import read_text, write_text


def to_text(playlist):
    tracks = [{"title": track.title, "seconds": track.seconds, "extra": track.extra} for track in playlist.tracks]
    settings = dict(sorted(playlist.settings.items(), key=lambda entry: isinstance(entry[1], dict)))
    return write_text({"name": playlist.name, "settings": settings, "tracks": tracks})


def from_text(text):
    document = read_text(text)
    tracks = [Track(item["title"], item["seconds"], item.get("extra", {})) for item in document.get("tracks", [])]
    return Playlist(document["name"], tracks, document.get("settings", {}))


class Library:
    def __init__(self):
        self._texts = {}

    def save(self, playlist):
        self._texts[playlist.name] = to_text(playlist)

    def load(self, name):
        if name not in self._texts:
            raise LookupError(f"no playlist {name!r}")
        return from_text(self._texts[name])

    def configure(self, name, path, value):
        """Change one setting of a stored playlist."""
        playlist = self.load(name)
        *groups, last = path.split(".")
        target = playlist.settings
        for group in groups:
            target = target.setdefault(group, {})
        target[last] = value
        self.save(playlist)
