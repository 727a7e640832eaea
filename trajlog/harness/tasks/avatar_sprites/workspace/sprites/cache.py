"""Composed sprites in memory."""

from collections import OrderedDict


class SpriteCache:
    """Keeps sprites by name, up to `budget` bytes; `on_drop(name)` is called for each that has to go."""

    def __init__(self, budget, on_drop=None):
        self.budget = budget
        self.used = 0
        self._entries = OrderedDict()
        self._on_drop = on_drop

    def __len__(self):
        return len(self._entries)

    def names(self):
        """The names, the least recently used first."""
        return list(self._entries)

    def get(self, name):
        entry = self._entries.get(name)
        if entry is None:
            return None
        self._entries.move_to_end(name)
        return entry

    def put(self, name, sprite):
        self._entries[name] = sprite
        self._entries.move_to_end(name)
        self.used += sprite.size
        self._shrink(name)

    def extend(self, name, frame):
        """Add a frame to a cached sprite; False if it is not here."""
        sprite = self.get(name)
        if sprite is None:
            return False
        sprite.add(frame)
        self._shrink(name)
        return True

    def drop(self, name):
        return self._remove(name)

    def clear(self):
        self._entries.clear()
        self.used = 0

    def _remove(self, name):
        sprite = self._entries.pop(name, None)
        if sprite is None:
            return False
        self.used -= sprite.size
        return True

    def _shrink(self, latest):
        if self.used > self.budget and self._entries[latest].size > self.budget:
            self._forget(latest)
        while self.used > self.budget:
            self._forget(next(iter(self._entries)))

    def _forget(self, name):
        self._remove(name)
        if self._on_drop:
            self._on_drop(name)
