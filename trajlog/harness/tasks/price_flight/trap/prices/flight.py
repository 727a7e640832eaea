"""Callers that want the same thing at the same time share one piece of work."""

import threading


class _Call:
    """Work under way for one key. `value` may be read once `done` is set."""

    def __init__(self):
        self.done = threading.Event()
        self.value = None
        self.waiters = 0


class Flight:
    """`wait_s`: how long a caller waits for the work of another one."""

    def __init__(self, wait_s=30.0):
        self._wait_s = wait_s
        self._lock = threading.Lock()
        self._calls = {}

    def do(self, key, work):
        """The result of `work()`, or of the same work that another caller has under way for `key`."""
        call, is_leader = self._join(key)
        if not is_leader:
            return self._wait(key, call)
        try:
            call.value = work()
        finally:
            call.done.set()
            with self._lock:
                del self._calls[key]
        return call.value

    def waiting(self, key):
        """Number of callers that wait for the work of another one."""
        with self._lock:
            call = self._calls.get(key)
            return call.waiters if call else 0

    def under_way(self):
        """Keys that are being worked on."""
        with self._lock:
            return sorted(self._calls)

    def _join(self, key):
        with self._lock:
            call = self._calls.get(key)
            if call is not None:
                call.waiters += 1
                return call, False
            call = self._calls[key] = _Call()
            return call, True

    def _wait(self, key, call):
        if not call.done.wait(self._wait_s):
            raise TimeoutError(f"no result for {key!r} after {self._wait_s} s")
        return call.value
