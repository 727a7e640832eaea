"""A buffer in front of the server."""

DELETED = object()


class WriteBehind:
    """Collects changes until `flush`."""

    def __init__(self, server, limit=100):
        self._server = server
        self._limit = limit
        self._pending = []

    @property
    def num_pending(self):
        return len(self._pending)

    def get(self, key):
        for changed, value in reversed(self._pending):
            if changed == key:
                return None if value is DELETED else value
        return self._server.get(key)

    def keys(self, prefix=""):
        """Keys as they will be after a flush."""
        found = set(self._server.keys())
        for key, value in self._pending:
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
            key, value = self._pending[0]
            self._write(key, value)
            del self._pending[0]
            count += 1
        return count

    def _change(self, key, value):
        if self._pending and self._pending[-1][0] == key:
            self._pending.pop()
        self._pending.append((key, value))
        if len(self._pending) >= self._limit:
            self.flush()

    def _write(self, key, value):
        if value is DELETED:
            self._server.delete(key)
        else:
            self._server.put(key, value)
