"""Readings and what can be set for them."""

import math
from dataclasses import dataclass

from exposure.scale import APERTURES, aperture_mark, aperture_name, time_mark, time_name


@dataclass(frozen=True)
class Setting:
    """Marks of time and aperture."""

    time: int
    aperture: int

    @classmethod
    def nearest(cls, seconds, number):
        return cls(time_mark(seconds), aperture_mark(number))

    @property
    def value(self):
        """Exposure value in third stops."""
        return self.time + self.aperture

    def __str__(self):
        return f"{time_name(self.time)} {aperture_name(self.aperture)}"

    def moved(self, thirds):
        """Same exposure, aperture closed by so many thirds."""
        return Setting(self.time - thirds, self.aperture + thirds)

    def through(self, factor):
        """The setting behind a filter that lets one part in `factor` through."""
        seconds = 2 ** (-self.time / 3) * factor
        return Setting(time_mark(seconds), self.aperture)


def equivalents(setting, apertures=None):
    """All settings with the same exposure, from wide to narrow."""
    marks = sorted(APERTURES) if apertures is None else [aperture_mark(number) for number in apertures]
    return [setting.moved(mark - setting.aperture) for mark in marks]


def from_light(lux, speed=100, constant=250):
    """Exposure value in whole thirds for incident light."""
    stops = math.log2(lux * speed / constant)
    return math.floor(stops * 3 + 0.5)


def setting_for(lux, number, speed=100):
    aperture = aperture_mark(number)
    return Setting(from_light(lux, speed) - aperture, aperture)


def bracket(setting, thirds, frames=3):
    """Frames around a setting, darkest first, by time."""
    middle = frames // 2
    return [Setting(setting.time + thirds * (middle - i), setting.aperture) for i in range(frames)]
