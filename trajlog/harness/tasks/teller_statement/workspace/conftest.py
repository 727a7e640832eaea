import threading

import pytest


class Traffic:
    """Makes watched locks. Of two tellers, neither takes a second lock before the other holds or wants its first."""

    def __init__(self):
        self._state = threading.Condition()
        self._wanted = {}
        self._held = {}
        self._waiting = {}
        self._owners = {}
        self._at_work = set()

    def lock(self):
        return WatchedLock(self)

    def wants(self, lock):
        name = threading.current_thread().name
        with self._state:
            self._waiting[name] = lock
            if name.startswith("teller"):
                self._wanted.setdefault(name, lock)
            self._state.notify_all()

    def holds(self, lock):
        name = threading.current_thread().name
        with self._state:
            self._waiting.pop(name, None)
            self._owners[lock] = name
            if not name.startswith("teller") or name in self._held:
                return
            self._held[name] = lock
            self._state.notify_all()
            self._state.wait_for(lambda: self._met(name, lock), timeout=2)

    def gives_back(self, lock):
        with self._state:
            del self._owners[lock]

    def _stuck(self):
        return all(self._owners.get(self._waiting.get(name)) in self._at_work for name in self._at_work)

    def _met(self, name, lock):
        others = {other: wanted for other, wanted in self._wanted.items() if other != name}
        return any(other in self._held or wanted is lock for other, wanted in others.items())

    def run(self, *jobs):
        """Run every job in a teller's thread; the names of those that wait for each other for ever."""
        self._at_work = {f"teller {number}" for number in range(1, len(jobs) + 1)}
        for name, job in zip(sorted(self._at_work), jobs, strict=True):
            threading.Thread(target=self._teller, args=[name, job], name=name, daemon=True).start()
        with self._state:
            self._state.wait_for(lambda: not self._at_work or self._stuck(), timeout=2)
            return sorted(self._at_work)

    def _teller(self, name, job):
        try:
            job()
        finally:
            with self._state:
                self._at_work.discard(name)
                self._state.notify_all()


class WatchedLock:
    def __init__(self, traffic):
        self._traffic = traffic
        self._lock = threading.Lock()

    def __enter__(self):
        self._traffic.wants(self)
        self._lock.acquire()
        self._traffic.holds(self)
        return self

    def __exit__(self, *exc_info):
        self._traffic.gives_back(self)
        self._lock.release()


@pytest.fixture
def traffic():
    return Traffic()
