"""Stars by region."""

from dataclasses import dataclass


class UnknownRegion(LookupError):
    """There is no catalogue of the region."""


@dataclass(frozen=True)
class Star:
    """Right ascension in hours, declination in degrees."""

    name: str
    hours: float
    degrees: float
    magnitude: float


class Catalogues:
    def __init__(self):
        self._regions = {}
        self._releases = {}

    def put(self, region, stars):
        self._regions[region] = tuple(stars)
        self._releases[region] = self._releases.get(region, 0) + 1

    def stars(self, region):
        if region not in self._regions:
            raise UnknownRegion(region)
        return self._regions[region]

    def release(self, region):
        return self._releases.get(region, 0)

    def regions(self):
        return sorted(self._regions)
