"""What the web page asks."""

from dataclasses import dataclass

from river.kept import Kept


@dataclass(frozen=True)
class Forecast:
    gauge: str
    levels: tuple

    @property
    def peak(self):
        return max(self.levels, default=None)

    def hours_above(self, level):
        return sum(1 for value in self.levels if value > level)


class Service:
    def __init__(self, register, office, clock, max_age=6):
        self._register = register
        self._office = office
        self._kept = Kept(max_age, clock)
        office.on_publish(self._on_publish)

    @property
    def num_kept(self):
        return len(self._kept)

    def forecast(self, name):
        return self._kept.get(name.strip(), lambda: self._fetch(name))

    def peak(self, name):
        return self.forecast(name).peak

    def warnings(self, river):
        """Lines for the gauges of a river whose forecast is above the warning level."""
        lines = []
        for gauge in self._register.of_river(river):
            hours = self.forecast(gauge.name).hours_above(gauge.warning)
            if hours:
                lines.append(f"{gauge.name}: {hours} h above {gauge.warning:.2f} m")
        return lines

    def _fetch(self, name):
        gauge = self._register.gauge(name)
        return Forecast(gauge.name, tuple(self._office.fetch((gauge.name, *gauge.aliases))))

    def _on_publish(self, name):
        self._kept.drop(self._register.proper(name))
        self._kept.drop(self._register.gauge(name).name)
