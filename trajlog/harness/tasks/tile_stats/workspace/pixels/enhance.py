"""Change the grey levels of images."""

from pixels.histogram import Histogram
from pixels.tiles import image_stats


def clamp(value, maximum):
    return max(0, min(maximum, value))


def brighten(image, by):
    return image.map(lambda value: clamp(value + by, image.maximum))


def normalize(image, mean, deviation, tile_size=8):
    """Bring mean and deviation to the values given."""
    stats = image_stats(image, tile_size)
    gain = deviation / stats.deviation if stats.deviation else 0.0
    return image.map(lambda value: clamp(int(mean + (value - stats.mean) * gain + 0.5), image.maximum))


def stretch(image, percent=0):
    """Spread the levels between two quantiles over the whole range."""
    histogram = Histogram(image)
    low, high = histogram.quantile(percent or 1e-9), histogram.quantile(100 - percent)
    if low == high:
        return image.map(lambda value: value)
    return image.map(lambda value: clamp((value - low) * image.maximum // (high - low), image.maximum))


def black_and_white(image):
    limit = Histogram(image).threshold()
    return image.map(lambda value: image.maximum if value > limit else 0)
