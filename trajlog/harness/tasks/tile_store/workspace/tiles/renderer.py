"""Tiles of a map: at zoom z a position covers 2 ** (top - z) map units."""

from tiles.store import TileStore

SIZE = 4


class UnknownLayer(LookupError):
    pass


class Renderer:
    def __init__(self, layers, top_zoom=8, capacity=64):
        self.layers = dict(layers)
        self.top_zoom = top_zoom
        self.store = TileStore(capacity)
        self.rendered = 0

    def tile(self, layer, zoom, column, row):
        """The lines of one tile."""
        if layer not in self.layers:
            raise UnknownLayer(layer)
        if not 0 <= zoom <= self.top_zoom:
            raise ValueError(f"zoom {zoom} is not between 0 and {self.top_zoom}")
        found = self.store.find(layer, zoom, column, row)
        if found is None:
            found = self._render(self.layers[layer], zoom, column, row)
            self.store.keep(layer, zoom, column, row, found)
        return found

    def _render(self, layer, zoom, column, row):
        self.rendered += 1
        step = 2 ** (self.top_zoom - zoom)
        xs = [(column * SIZE + i) * step for i in range(SIZE)]
        ys = [(row * SIZE + i) * step for i in range(SIZE)]
        return tuple("".join(layer.draw(x, y) for x in xs) for y in ys)

    def view(self, layer, zoom, columns, rows):
        """The lines of all tiles of a window."""
        lines = []
        for row in rows:
            tiles = [self.tile(layer, zoom, column, row) for column in columns]
            lines.extend("".join(parts) for parts in zip(*tiles, strict=True))
        return lines
