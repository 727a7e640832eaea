"""When the siren sounds."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Change:
    """A gauge goes into alarm or out of it."""

    gauge: str
    is_alarm: bool
    clock: str
    level: int

    def text(self):
        return f"{self.clock} {self.gauge} {'ALARM' if self.is_alarm else 'all clear'} at {self.level} cm"


class Alarms:
    """Knows which gauges are in alarm."""

    def __init__(self):
        self._active = set()

    def change(self, gauge, reading):
        """What the reading changes, or None. It is changed by `commit` only."""
        is_active = gauge.name in self._active
        if not is_active and reading.level >= gauge.alarm:
            return Change(gauge.name, True, reading.clock(), reading.level)
        if is_active and reading.level < gauge.alarm - gauge.slack:
            return Change(gauge.name, False, reading.clock(), reading.level)
        return None

    def commit(self, change):
        if change.is_alarm:
            self._active.add(change.gauge)
        else:
            self._active.discard(change.gauge)

    def active(self):
        return sorted(self._active)


class Siren:
    """Sends texts to the fire brigade; `send` answers whether it could."""

    def __init__(self):
        self.is_online = True
        self.sent = []

    def send(self, text):
        if self.is_online:
            self.sent.append(text)
        return self.is_online
