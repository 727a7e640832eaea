"""Readings in, vents out."""

import threading
from functools import partial

from greenhouse.climate import wanted_opening
from greenhouse.zone import Zone


class Controller:
    """`executor` has `submit(function, *args)` as those of concurrent.futures."""

    def __init__(self, executor, zones=(), model=wanted_opening):
        self._executor = executor
        self._model = model
        self._zones = {}
        self._lock = threading.Lock()
        self._pending = set()
        for name in zones:
            self.add_zone(Zone(name))

    def add_zone(self, zone):
        if zone.name in self._zones:
            raise ValueError(f"zone {zone.name} exists")
        self._zones[zone.name] = zone

    def zone(self, name):
        try:
            return self._zones[name]
        except KeyError:
            raise LookupError(f"no zone {name!r}") from None

    def read(self, reading):
        """Starts the evaluation of a reading; returns its number."""
        zone = self.zone(reading.zone)
        number = zone.number()
        future = self._executor.submit(self._model, reading)
        with self._lock:
            self._pending.add(future)
        future.add_done_callback(partial(self._done, zone, number))
        return number

    def _done(self, zone, number, future):
        with self._lock:
            self._pending.discard(future)
        if future.cancelled():
            zone.fail(number, "cancelled")
            return
        error = future.exception()
        if error is not None:
            zone.fail(number, error)
            return
        zone.apply(number, future.result())

    def set_by_hand(self, name, opening):
        if not 0 <= opening <= 100:
            raise ValueError(f"no opening: {opening}")
        zone = self.zone(name)
        zone.apply(zone.number(), opening, "by hand")

    def pending(self):
        with self._lock:
            return len(self._pending)

    def close_all(self):
        """Gives up what has not begun and shuts the vents."""
        with self._lock:
            waiting = list(self._pending)
        for future in waiting:
            future.cancel()
        for name in sorted(self._zones):
            self.set_by_hand(name, 0)

    def openings(self):
        return {name: zone.vent.opening for name, zone in sorted(self._zones.items())}
