"""Thumbnails by path and edge length, with the file that they were made from."""

import json

from thumbs.disk import DiskError
from thumbs.picture import Picture, PictureError


class ThumbIndex:
    def __init__(self, disk, clock):
        self._disk = disk
        self._clock = clock
        self._entries = {}
        self.made = []

    def thumb(self, path, edge):
        """The text of a thumbnail; unreadable pictures give `?`."""
        entry = self._current(path)
        if str(edge) not in entry["thumbs"]:
            entry["thumbs"][str(edge)] = self._make(path, edge)
        entry["used"] = self._clock()
        return entry["thumbs"][str(edge)]

    def _current(self, path):
        changed = self._disk.stat(path).mtime
        entry = self._entries.get(path)
        if entry is None or changed > entry["changed"]:
            entry = self._entries[path] = {"changed": changed, "used": 0, "thumbs": {}}
        return entry

    def _make(self, path, edge):
        self.made.append((path, edge))
        try:
            return Picture.parse(self._disk.read(path)).fit(edge).text()
        except PictureError:
            return "?"

    def prune(self, older_than=None):
        """Forget deleted pictures, and those that were not used for so many seconds."""
        gone = []
        for path, entry in self._entries.items():
            unused = older_than is not None and self._clock() - entry["used"] > older_than
            if unused or not self._exists(path):
                gone.append(path)
        for path in gone:
            del self._entries[path]
        return sorted(gone)

    def _exists(self, path):
        try:
            self._disk.stat(path)
        except DiskError:
            return False
        return True

    def paths(self):
        return sorted(self._entries)

    def save(self):
        return json.dumps(self._entries, sort_keys=True)

    def load(self, text):
        self._entries = json.loads(text)
