"""A cache that forgets what was not used for longest."""

from collections import OrderedDict


class Recent:
    """Up to `limit` entries made by `load(key)`; `on_drop(key, entry)` may use the cache itself."""

    def __init__(self, limit, load, on_drop):
        if limit < 1:
            raise ValueError(f"limit is {limit}")
        self._limit = limit
        self._load = load
        self._on_drop = on_drop
        self._entries = OrderedDict()

    def __len__(self):
        return len(self._entries)

    def keys(self):
        """Keys, the one used last at the end."""
        return list(self._entries)

    def use(self, key, action):
        """Call `action(entry)` on the entry, and tell its result."""
        if key not in self._entries:
            self._entries[key] = self._load(key)
        self._entries.move_to_end(key)
        result = action(self._entries[key])
        while len(self._entries) > self._limit:
            self._drop_oldest()
        return result

    def clear(self):
        while self._entries:
            self._drop_oldest()

    def _drop_oldest(self):
        key, entry = self._entries.popitem(last=False)
        self._on_drop(key, entry)
