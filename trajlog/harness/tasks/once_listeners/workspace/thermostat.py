"""A thermostat that tells its listeners about changes."""

from emitter import Emitter


class Thermostat:
    """Emits `changed(degrees)` on every change and `hot(degrees)` at or above `limit`."""

    def __init__(self, limit):
        self.events = Emitter()
        self.limit = limit
        self._degrees = None

    def measure(self, degrees):
        if degrees == self._degrees:
            return
        self._degrees = degrees
        self.events.emit("changed", degrees)
        if degrees >= self.limit:
            self.events.emit("hot", degrees)
