"""Wind directions in degrees."""

import math


class NoWind(ValueError):
    """Readings from which no direction follows."""


def mean_wind(readings):
    """Direction of the sum of the unit vectors, in whole degrees."""
    readings = list(readings)
    if not readings:
        raise NoWind("no readings")
    north = sum(math.cos(math.radians(angle)) for angle in readings)
    east = sum(math.sin(math.radians(angle)) for angle in readings)
    if math.hypot(north, east) < 1e-6 * len(readings):
        raise NoWind("readings cancel each other")
    return round(math.degrees(math.atan2(east, north))) % 360


def off_wind(heading, wind):
    """Angle between a heading and the direction the wind comes from: 0 to 180."""
    return abs(heading - wind)


def shift(before, after):
    """How far the wind turned: -179 to 180, positive to the right."""
    turned = (after - before) % 360
    return turned - 360 if turned > 180 else turned


class WindLog:
    """Readings `(second, degrees)` of the committee boat."""

    def __init__(self, readings=()):
        self._readings = sorted(readings)

    def add(self, second, degrees):
        self._readings.append((second, degrees % 360))
        self._readings.sort()

    def during(self, begin, end):
        """Mean over [begin, end); the last reading before if there is none."""
        inside = [degrees for second, degrees in self._readings if begin <= second < end]
        if inside:
            return mean_wind(inside)
        earlier = [degrees for second, degrees in self._readings if second < begin]
        if not earlier:
            raise NoWind(f"no reading before {begin} s")
        return earlier[-1] % 360
