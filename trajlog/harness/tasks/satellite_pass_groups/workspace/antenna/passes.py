"""Passes of satellites over the antenna."""

from dataclasses import dataclass
from itertools import groupby

from antenna.sightings import clock

GAP = 300


@dataclass
class Pass:
    satellite: str
    sightings: list

    def __post_init__(self):
        if not self.sightings:
            raise ValueError("a pass needs a sighting")

    @property
    def rise(self):
        return self.sightings[0].second

    @property
    def fall(self):
        return self.sightings[-1].second

    @property
    def seconds(self):
        return self.fall - self.rise

    @property
    def top(self):
        """The highest elevation."""
        return max(sighting.elevation for sighting in self.sightings)

    def line(self):
        return f"{clock(self.rise)}-{clock(self.fall)} {self.satellite} {self.top:.0f} deg"


class Boundary:
    """Key for grouping: changes with every new pass."""

    def __init__(self, gap=GAP):
        self._gap = gap
        self._last = None
        self._number = 0

    def __call__(self, sighting):
        last, self._last = self._last, sighting
        if last is not None:
            if last.satellite != sighting.satellite or sighting.second - last.second > self._gap:
                self._number += 1
        return self._number, sighting.satellite


def grouped(sightings, gap=GAP):
    """(satellite, its sightings) of every pass."""
    for (_, satellite), group in groupby(sightings, Boundary(gap)):
        yield satellite, group


def passes(sightings, gap=GAP):
    for satellite, group in grouped(sightings, gap):
        yield Pass(satellite, list(group))
