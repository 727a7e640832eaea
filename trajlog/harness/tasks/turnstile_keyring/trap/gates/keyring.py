"""Keys of the lines, fetched from the key server when they are first needed."""

import threading


class KeyServerError(RuntimeError):
    """The key server did not answer."""


class Keyring:
    """`fetch()` gives pairs (line, key) and may take long. `make_lock` is for other kinds of locks."""

    def __init__(self, fetch, make_lock=threading.Lock):
        self._fetch = fetch
        self._lock = threading.Lock()
        self._fetching = make_lock()
        self._loaded = False
        self._keys = {}
        self._failures = 0
        self.fetches = 0

    def key(self, line):
        """The key of a line, None if there is none."""
        if not self._loaded or line not in self._keys:
            self._load()
        return self._keys.get(line)

    def lines(self):
        if not self._loaded:
            self._load()
        return sorted(self._keys)

    def renew(self):
        """Forgets the keys; the next ticket fetches new ones."""
        with self._lock:
            self._loaded = False
            self._keys = {}

    def _load(self):
        failures = self._failures
        with self._fetching:
            if self._loaded:
                return
            if self._failures != failures:
                raise KeyServerError("the fetch that was waited for has failed")
            self.fetches += 1
            self._loaded = True
            try:
                keys = dict(self._fetch())
            except Exception as error:
                self._failures += 1
                self._loaded = False
                raise KeyServerError(f"no keys: {error}") from error
            with self._lock:
                self._keys = keys
