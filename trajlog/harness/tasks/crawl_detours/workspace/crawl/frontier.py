"""Addresses that are to be visited, each of them once."""

import threading
from collections import deque
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Entry:
    url: str
    depth: int
    tries: int = 1


class Frontier:
    """Shared by all workers. It is finished once nothing is queued and nobody visits a page."""

    def __init__(self):
        self._changed = threading.Condition()
        self._queue = deque()
        self._seen = set()
        self._visiting = 0
        self._finished = False

    def add(self, url, depth):
        """Queue an address; whether it was new."""
        with self._changed:
            if self._finished or url in self._seen:
                return False
            self._seen.add(url)
            self._queue.append(Entry(url, depth))
            self._changed.notify()
            return True

    def take(self):
        """The next entry, or None when the frontier is finished. Every entry taken is given to `done` or `retry`."""
        with self._changed:
            while not self._queue and not self._finished:
                self._changed.wait()
            if self._finished:
                return None
            self._visiting += 1
            return self._queue.popleft()

    def done(self):
        with self._changed:
            self._leave()

    def retry(self, entry):
        """Visit `entry` again after all that is queued now."""
        with self._changed:
            self._leave()
            self._queue.append(replace(entry, tries=entry.tries + 1))
            self._changed.notify()

    def _leave(self):
        self._visiting -= 1
        if not self._visiting and not self._queue:
            self._finished = True
            self._changed.notify_all()
