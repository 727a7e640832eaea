"""Names to places and points to places."""

from math import inf

from geo.cells import CellCache, Known
from geo.grid import Grid
from geo.places import PlaceError


class Geocoder:
    def __init__(self, places, cell=1.0, limit=500):
        self._places = []
        self._grid = Grid(cell)
        self._cells = CellCache(self._grid, limit)
        self.scans = 0
        for place in places:
            self.add(place)

    def add(self, place):
        if any(known.name == place.name and known.country == place.country for known in self._places):
            raise PlaceError(f"{place.name} ({place.country}) exists")
        self._places.append(place)
        self._cells.place_added(place)

    def locate(self, text):
        """`Name` or `Name, Country` without regard to case."""
        name, _, country = (part.strip().lower() for part in text.partition(","))
        found = [
            place for place in self._places
            if place.name.lower() == name and country in ("", place.country.lower())
        ]
        if len(found) != 1:
            raise PlaceError(f"{len(found)} places for {text!r}")
        return found[0]

    def nearest(self, x, y, kind=None, country=None):
        """(name, distance rounded to metres), or None when no place fits."""
        cell = self._grid.cell(x, y)
        known = self._cells.find(cell, kind, country)
        if known is None:
            known = self._scan(x, y, kind, country)
            self._cells.keep(cell, kind, country, known)
        return known.answer

    def _scan(self, x, y, kind, country):
        self.scans += 1
        fitting = [(place.distance(x, y), place.name) for place in self._places if place.fits(kind, country)]
        if not fitting:
            return Known(None, inf)
        distance, name = min(fitting)
        return Known((name, round(distance, 3)), distance + 2 * self._grid.radius)

    def route(self, start, end, step=0.25, **wanted):
        """Names of the nearest places along a way, each once in a row."""
        names = []
        for point in self._grid.along(start, end, step):
            found = self.nearest(*point, **wanted)
            if found and names[-1:] != [found[0]]:
                names.append(found[0])
        return names
