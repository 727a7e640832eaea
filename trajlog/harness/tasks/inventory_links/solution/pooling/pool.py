"""Keeps links open for those who need one for a short time."""

import threading
from collections import deque


class PoolExhausted(Exception):
    """All links were in use for too long."""


class LinkPool:
    """At most `size` links exist at a time. A link older than `max_age` seconds is not used again.

    `connect(now)` opens a link, `clock()` gives seconds.
    """

    def __init__(self, connect, size, clock, max_age=300):
        self._connect = connect
        self._clock = clock
        self._max_age = max_age
        self._slots = threading.BoundedSemaphore(size)
        self._lock = threading.Lock()
        self._idle = deque()
        self._used = {}
        self.opened = 0

    def acquire(self, timeout=1):
        if not self._slots.acquire(timeout=timeout):
            raise PoolExhausted(f"no link within {timeout} s")
        try:
            link = self._take()
        except BaseException:
            self._slots.release()
            raise
        with self._lock:
            self._used[link.number] = link
        return link

    def _take(self):
        """An idle link, or a new one in its place when it is too old."""
        with self._lock:
            link = self._idle.pop() if self._idle else None
        if link is None:
            return self._open()
        if self._clock() - link.opened > self._max_age or link.closed:
            link.close()
            return self._open()
        return link

    def _open(self):
        link = self._connect(self._clock())
        self.opened += 1
        return link

    def release(self, link):
        with self._lock:
            if self._used.pop(link.number, None) is None:
                raise ValueError(f"link {link.number} was not acquired from this pool")
            link.rollback()
            if not link.closed:
                self._idle.append(link)
        self._slots.release()

    def stats(self):
        with self._lock:
            return {"idle": len(self._idle), "used": len(self._used), "opened": self.opened}

    def close(self):
        """Close the idle links; those in use are closed by whoever has them."""
        with self._lock:
            while self._idle:
                self._idle.pop().close()
