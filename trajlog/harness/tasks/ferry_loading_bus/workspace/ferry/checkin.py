"""The counter."""

from ferry.billing import RATES


class CheckIn:
    def __init__(self, bus):
        self._bus = bus
        self._plates = set()

    def arrive(self, plate, kind, length, trailers=()):
        if kind not in RATES:
            raise ValueError(f"unknown kind {kind!r}")
        if plate in self._plates:
            raise ValueError(f"{plate} is checked in already")
        self._plates.add(plate)
        self._bus.publish("checked_in", plate=plate, kind=kind, length=length, trailers=list(trailers))

    def cancel(self, plate, late=False):
        self._plates.remove(plate)
        self._bus.publish("cancelled", plate=plate, late=late)
