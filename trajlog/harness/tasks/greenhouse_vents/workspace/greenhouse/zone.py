"""Zones, their vents and the numbers of their readings."""

import threading


class Vent:
    """Keeps every move in `moves`."""

    def __init__(self, opening=0):
        self.opening = opening
        self.moves = []

    def set(self, opening):
        if opening != self.opening:
            self.moves.append((self.opening, opening))
            self.opening = opening


class Zone:
    def __init__(self, name, vent=None):
        self.name = name
        self.vent = vent or Vent()
        self.log = []
        self.stale = 0
        self.failed = 0
        self._lock = threading.Lock()
        self._next = 1
        self._applied = 0

    def number(self):
        """A number for a new reading or setting."""
        with self._lock:
            number = self._next
            self._next += 1
            return number

    def apply(self, number, opening, label=None):
        with self._lock:
            if number <= self._applied:
                self.stale += 1
                return False
            self._applied += 1
            self.vent.set(opening)
            self.log.append(f"{self.name} {label or f'#{number}'} -> {opening}")
            return True

    def fail(self, number, error):
        with self._lock:
            self.failed += 1
            self.log.append(f"{self.name} #{number} failed: {error}")
