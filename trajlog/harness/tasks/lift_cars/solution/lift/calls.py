"""The board on which calls are put and from which the cars take them."""

import threading
from dataclasses import dataclass


class BoardClosed(Exception):
    """The lift is out of service."""


@dataclass(frozen=True)
class Call:
    origin: int
    target: int
    name: str = ""

    @property
    def direction(self):
        return "up" if self.target > self.origin else "down"

    def cost(self, floor):
        """Floors to drive from `floor` until the passenger is where they want to be."""
        return abs(self.origin - floor) + abs(self.target - self.origin)


class CallBoard:
    def __init__(self):
        lock = threading.Lock()
        self._work = threading.Condition(lock)
        self._rest = threading.Condition(lock)
        self._calls = []
        self._idle = 0
        self._closed = False

    def put(self, call):
        with self._work:
            if self._closed:
                raise BoardClosed(f"nobody takes {call}")
            self._calls.append(call)
            self._idle = 0  # all are woken and count anew
            self._work.notify_all()

    def take(self, floor):
        """The next call for a car that stands at `floor`; None when the board is closed and empty.

        The nearest passenger is served first, of equally near ones the one who came first.
        """
        with self._work:
            while not self._calls and not self._closed:
                self._wait_for_work()
            if not self._calls:
                return None
            call = min(self._calls, key=lambda each: abs(each.origin - floor))
            self._calls.remove(call)
            return call

    def _wait_for_work(self):
        self._idle += 1
        self._rest.notify_all()
        self._work.wait()

    def wait_idle(self, cars, timeout=None):
        """Wait until there are no calls and `cars` cars have nothing to do."""
        with self._rest:
            return self._rest.wait_for(lambda: not self._calls and self._idle >= cars, timeout)

    def close(self):
        """No more calls. Cars that have nothing to do end."""
        with self._work:
            self._closed = True
            self._work.notify_all()

    def pending(self):
        with self._work:
            return [call.name for call in self._calls]
