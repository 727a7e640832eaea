"""Cut images into tiles."""

from dataclasses import dataclass

from pixels.stats import Stats, merged


@dataclass(frozen=True)
class Tile:
    left: int
    top: int
    rows: tuple

    def stats(self):
        return Stats(value for row in self.rows for value in row)


def tiles(image, size):
    """Yield tiles of `size` x `size` pixels by row; those at the right and the bottom may be smaller."""
    if size < 1:
        raise ValueError(f"tiles of {size} pixels")
    for top in range(0, image.height, size):
        for left in range(0, image.width, size):
            rows = tuple(tuple(row[left:left + size]) for row in image.rows[top:top + size])
            yield Tile(left, top, rows)


def image_stats(image, tile_size):
    return merged(tile.stats() for tile in tiles(image, tile_size))


def row_stats(image, first, last):
    """Stats of the rows first <= row < last."""
    return merged(Stats(row) for row in image.rows[first:last])


def flattest(image, size):
    """The place (left, top) of the tile with the least deviation, the first one on a tie."""
    best = min(tiles(image, size), key=lambda tile: round(tile.stats().variance, 9))
    return best.left, best.top
