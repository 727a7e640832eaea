"""Hands the measurements on from time to time."""

from metrics.lines import render


class SinkError(Exception):
    """The other side did not take the lines."""


class Exporter:
    """`send(lines)` hands lines on and raises SinkError when it cannot. `clock()` gives seconds."""

    def __init__(self, registry, send, clock, interval=10):
        self._registry = registry
        self._send = send
        self._clock = clock
        self._interval = interval
        self._due = clock() + interval
        self.sent = 0
        self.failures = 0

    def tick(self):
        """To be called often. Flushes when it is time; whether it did."""
        now = self._clock()
        if now < self._due:
            return False
        self._due = now + self._interval
        return self.flush()

    def flush(self):
        """Send everything since the last successful flush; whether it was taken."""
        lines = render(self._registry.snapshot())
        try:
            if lines:
                self._send(lines)
        except SinkError:
            self.failures += 1
            return False
        self._registry.reset()
        self.sent += len(lines)
        return True
