import pytest
from pixels.describe import describe
from pixels.enhance import black_and_white, brighten, stretch
from pixels.histogram import Histogram
from pixels.image import ImageError, parse_pgm, write_pgm
from pixels.stats import Stats

SMALL = """P2
# four by three
4 3
255
10 20 30 40
50 60 70 80
90 100 250 0
"""


def test_stats_of_values():
    stats = Stats([2, 4, 4, 4, 5, 5, 7, 9])
    assert (stats.mean, round(stats.deviation, 9), stats.low, stats.high) == (5.0, 2.0, 2, 9)


def test_describe():
    assert describe(parse_pgm(SMALL)) == {
        "size": "4x3",
        "mean": 66.667,
        "deviation": 63.026,
        "range": (0, 250),
        "median": 50,
        "flattest": (0, 0),
    }


def test_histogram():
    histogram = Histogram(parse_pgm(SMALL))
    assert (histogram.bins(4), histogram.quantile(25), histogram.threshold()) == ([7, 4, 0, 1], 20, 100)


def test_enhance():
    image = parse_pgm(SMALL)
    assert write_pgm(brighten(image, 60)).splitlines()[3:] == ["70 80 90 100", "110 120 130 140", "150 160 255 60"]
    assert stretch(image, 10).rows[2] == [226, 255, 255, 0]
    assert black_and_white(image).rows[1:] == [[0, 0, 0, 0], [0, 0, 255, 0]]


def test_bad_images():
    with pytest.raises(ImageError, match="3 values for 2 x 2"):
        parse_pgm("P2 2 2 9 1 2 3")
    with pytest.raises(ImageError, match="between 0 and 9"):
        parse_pgm("P2 2 1 9 1 10")
