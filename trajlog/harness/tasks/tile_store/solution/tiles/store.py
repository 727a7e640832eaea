"""Keeps the tiles that were used last."""

from collections import OrderedDict


class TileStore:
    def __init__(self, capacity):
        if capacity < 1:
            raise ValueError("capacity must be at least 1")
        self.capacity = capacity
        self.hits = 0
        self._tiles = OrderedDict()

    @staticmethod
    def key(layer, zoom, column, row):
        return layer, zoom, column, row

    def find(self, layer, zoom, column, row):
        key = self.key(layer, zoom, column, row)
        if key not in self._tiles:
            return None
        self.hits += 1
        self._tiles.move_to_end(key)
        return self._tiles[key]

    def keep(self, layer, zoom, column, row, tile):
        self._tiles[self.key(layer, zoom, column, row)] = tile
        while len(self._tiles) > self.capacity:
            self._tiles.popitem(last=False)

    def __len__(self):
        return len(self._tiles)
