"""Threads for tests: callers whose result or error can be looked at."""

import threading
import time

LIMIT_S = 20.0


class Caller(threading.Thread):
    """Calls `function(*args)` in a daemon thread; `result` and `error` tell what came of it."""

    def __init__(self, function, *args):
        super().__init__(daemon=True)
        self._function = function
        self._args = args
        self.result = None
        self.error = None
        self.start()

    def run(self):
        try:
            self.result = self._function(*self._args)
        except Exception as error:
            self.error = error

    def finish(self):
        self.join(LIMIT_S)
        assert not self.is_alive(), "the caller hangs"
        return self


def wait_until(condition):
    """Wait until `condition()` holds."""
    deadline = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.002)
