"""A few words about an image."""

from pixels.histogram import Histogram
from pixels.tiles import flattest, image_stats


def describe(image, tile_size=8):
    stats = image_stats(image, tile_size)
    return {
        "size": f"{image.width}x{image.height}",
        "mean": round(stats.mean, 3),
        "deviation": round(stats.deviation, 3),
        "range": (stats.low, stats.high),
        "median": Histogram(image).quantile(50),
        "flattest": flattest(image, tile_size),
    }
