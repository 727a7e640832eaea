"""Keeps a list of words and where they stand, up to date by means of a watcher."""

from watching.fakefs import REMOVED
from watching.watcher import Watcher


class WordIndex:
    def __init__(self, fs, root, patterns=("*.txt",)):
        self._fs = fs
        self._words = {}
        self.updates = 0
        self._watcher = Watcher(fs, root, self._update, patterns)
        self._root = root

    def open(self):
        self._watcher.start()
        return self

    def close(self):
        self._watcher.stop()

    def _update(self, event):
        self.updates += 1
        self._words.pop(event.path, None)
        if event.kind != REMOVED:
            self._words[event.path] = set(self._fs.read(event.path).lower().split())

    def find(self, word):
        return sorted(path for path, words in self._words.items() if word.lower() in words)

    def size(self):
        return len(self._words)
