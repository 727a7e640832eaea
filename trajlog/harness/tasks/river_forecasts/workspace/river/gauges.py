"""Gauges and their names."""

from dataclasses import dataclass


class UnknownGauge(LookupError):
    """No gauge has that name."""


@dataclass(frozen=True)
class Gauge:
    name: str
    river: str
    warning: float
    aliases: tuple = ()


def plain(name):
    """A name without differences of spelling."""
    return " ".join(name.replace("-", " ").casefold().split())


class Register:
    def __init__(self, gauges):
        self._gauges = {}
        for gauge in gauges:
            for name in (gauge.name, *gauge.aliases):
                self._gauges[plain(name)] = gauge

    def gauge(self, name):
        try:
            return self._gauges[plain(name)]
        except KeyError:
            raise UnknownGauge(name) from None

    def proper(self, name):
        """The one name that all spellings and aliases stand for."""
        return plain(self.gauge(name).name)

    def of_river(self, river):
        found = {gauge.name: gauge for gauge in self._gauges.values() if gauge.river == river}
        return [found[name] for name in sorted(found)]
