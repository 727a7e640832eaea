"""A buffer in front of the server."""

DELETED = object()


class WriteBehind:
    """Collects changes until `flush`."""

    def __init__(self, server, limit=100):
        self._server = server
        self._limit = limit
        self._pending = {}

    @property
    def num_pending(self):
        return len(self._pending)

    def get(self, key):
        if key in self._pending:
            value = self._pending[key]
            return None if value is DELETED else value
        return self._server.get(key)

    def keys(self, prefix=""):
        """Keys as they will be after a flush."""
        found = set(self._server.keys())
        for key, value in self._pending.items():
            if value is DELETED:
                found.discard(key)
            else:
                found.add(key)
        return sorted(key for key in found if key.startswith(prefix))

    def put(self, key, value):
        self._change(key, value)

    def delete(self, key):
        self._change(key, DELETED)

    def flush(self):
        """Write what is pending; tells how many changes."""
        count = 0
        while self._pending:
            key, value = next(iter(self._pending.items()))
            self._write(key, value)
            del self._pending[key]
            count += 1
        return count

    def _change(self, key, value):
        self._pending[key] = value
        if len(self._pending) >= self._limit:
            self.flush()

    def _write(self, key, value):
        if value is DELETED:
            self._server.delete(key)
        else:
            self._server.put(key, value)
