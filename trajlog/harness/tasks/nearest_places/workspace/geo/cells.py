"""What is known about cells that were asked for."""

from dataclasses import dataclass


@dataclass
class Known:
    """The nearest place of a cell, and how far from its middle another one may matter."""

    answer: tuple
    reach: float


class CellCache:
    def __init__(self, grid, limit=500):
        self._grid = grid
        self._limit = limit
        self._known = {}

    def find(self, cell, kind, country):
        return self._known.get((cell, kind, country))

    def keep(self, cell, kind, country, known):
        while len(self._known) >= self._limit:
            del self._known[next(iter(self._known))]
        self._known[cell, kind, country] = known

    def place_added(self, place):
        """Forget the cells for which a new place may matter."""
        for key in list(self._known):
            cell, kind, country = key
            if not place.fits(kind, country):
                continue
            if place.distance(*self._grid.middle(cell)) <= self._known[key].reach:
                del self._known[key]

    def __len__(self):
        return len(self._known)
