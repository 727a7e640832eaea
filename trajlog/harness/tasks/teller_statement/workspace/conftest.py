import threading

import pytest


class Traffic:
    """Makes watched locks. Of two tellers, neither takes a second lock before the other holds or wants its first."""

    def __init__(self):
        self._state = threading.Condition()
        self._wanted = {}
        self._held = {}

    def lock(self):
        return WatchedLock(self)

    def wants(self, lock):
        name = threading.current_thread().name
        with self._state:
            if name.startswith("teller"):
                self._wanted.setdefault(name, lock)
                self._state.notify_all()

    def holds(self, lock):
        name = threading.current_thread().name
        with self._state:
            if not name.startswith("teller") or name in self._held:
                return
            self._held[name] = lock
            self._state.notify_all()
            self._state.wait_for(lambda: self._met(name, lock), timeout=2)

    def _met(self, name, lock):
        others = {other: wanted for other, wanted in self._wanted.items() if other != name}
        return any(other in self._held or wanted is lock for other, wanted in others.items())

    def run(self, *jobs):
        """Run every job in a teller's thread; the names of those that did not come to an end."""
        threads = [
            threading.Thread(target=job, name=f"teller {number}", daemon=True) for number, job in enumerate(jobs, 1)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(0.6)
        return [thread.name for thread in threads if thread.is_alive()]


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
        self._lock.release()


@pytest.fixture
def traffic():
    return Traffic()
