"""Records under keys. A record is a dict of plain values.

Reading gives copies, so that a record changes only by `put`. Records are written in batches:

    with store.batch() as batch:
        batch.put("a", {"n": 1})

What is put in a batch goes to the store when the batch ends, or at a `flush`; if the block is left with an
exception, what was not flushed is thrown away. `Store.get` answers what has reached the store, `Batch.get`
what will be there once the batch has ended.
"""


class StoreError(RuntimeError):
    """The store was not used as it should."""


class Store:
    def __init__(self):
        self._records = {}
        self._open = None
        self.num_writes = 0

    def get(self, key, default=None):
        record = self._records.get(key, default)
        return dict(record) if record is not None else None

    def keys(self, prefix=""):
        return sorted(key for key in self._records if key.startswith(prefix))

    def batch(self):
        if self._open is not None:
            raise StoreError("a batch is already open")
        self._open = Batch(self)
        return self._open

    def _write(self, records):
        self._records.update(records)
        self.num_writes += len(records)

    def _ended(self):
        self._open = None


class Batch:
    def __init__(self, store):
        self._store = store
        self._pending = {}

    def __enter__(self):
        return self

    def __exit__(self, kind, *exc):
        if kind is None:
            self.flush()
        self._pending.clear()
        self._store._ended()

    def get(self, key, default=None):
        if key in self._pending:
            return dict(self._pending[key])
        return self._store.get(key, default)

    def put(self, key, record):
        self._pending[key] = dict(record)

    def flush(self):
        """Write to the store what was put so far; it cannot be taken back then."""
        self._store._write(self._pending)
        self._pending = {}
