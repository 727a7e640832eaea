"""A lock for every key that is in use."""

import threading
from contextlib import contextmanager


class Busy(TimeoutError):
    """A key was not free in time."""


class _Entry:
    def __init__(self, lock):
        self.lock = lock
        self.users = 0


class KeyLocks:
    """Locks by key. Entries exist only as long as somebody holds or waits for them."""

    def __init__(self, make_lock=threading.Lock):
        self._make_lock = make_lock
        self._guard = threading.Lock()
        self._entries = {}

    def __len__(self):
        with self._guard:
            return len(self._entries)

    def _enter(self, key):
        with self._guard:
            entry = self._entries.get(key)
            if entry is None:
                entry = self._entries[key] = _Entry(self._make_lock())
            entry.users += 1
            return entry

    def _leave(self, key, entry):
        with self._guard:
            entry.users -= 1
            if not entry.users:
                del self._entries[key]

    @contextmanager
    def holding(self, key, timeout=5):
        entry = self._enter(key)
        try:
            if not entry.lock.acquire(timeout=timeout):
                raise Busy(f"{key} is in use")
            try:
                yield
            finally:
                entry.lock.release()
        finally:
            self._leave(key, entry)
