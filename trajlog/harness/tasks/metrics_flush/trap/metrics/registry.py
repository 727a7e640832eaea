"""All series of a process, by name and labels."""

import threading

from metrics.instruments import KINDS


class MetricError(ValueError):
    """A name that is used for two kinds of series."""


class Registry:
    """May be used by any number of threads."""

    def __init__(self):
        self._lock = threading.Lock()
        self._series = {}
        self._kinds = {}

    def count(self, name, amount=1, **labels):
        self._record("counter", name, labels, amount)

    def gauge(self, name, value, **labels):
        self._record("gauge", name, labels, value)

    def observe(self, name, value, **labels):
        self._record("histogram", name, labels, value)

    def _record(self, kind, name, labels, value):
        key = (name, tuple(sorted(labels.items())))
        with self._lock:
            if self._kinds.setdefault(name, kind) != kind:
                raise MetricError(f"{name} is a {self._kinds[name]}, not a {kind}")
            if key not in self._series:
                self._series[key] = KINDS[kind]()
            self._series[key].record(value)

    def drain(self):
        """Take what was measured since the last time; counters and histograms start anew, gauges stay."""
        with self._lock:
            taken = dict(self._series)
            self._series = {key: each for key, each in taken.items() if each.kind == "gauge"}
            return taken

    def restore(self, series):
        """Put back what could not be used; the newer measurements are kept."""
        with self._lock:
            for key, each in series.items():
                if key in self._series:
                    self._series[key].merge(each)
                else:
                    self._series[key] = each
