from pixels.describe import describe
from pixels.enhance import normalize
from pixels.image import Image
from pixels.stats import Stats, merged
from pixels.tiles import image_stats, row_stats

WAVES = Image([[(x * x * 7 + y * 13 + x * y) % 200 for x in range(11)] for y in range(7)])


def test_every_tile_size_gives_the_same():
    found = {round(image_stats(WAVES, size).deviation, 6) for size in (1, 2, 3, 5, 7, 11, 50)}
    assert sorted(found) == [55.901197]
    assert [describe(WAVES, size)["mean"] for size in (2, 9)] == [91.208, 91.208]


def test_parts_of_unequal_size():
    parts = [Stats(values) for values in ([1], [5, 6, 7], [], [100, 100], [3, 3, 3, 3, 3])]
    forward, backward = merged(parts), merged(parts[::-1])
    got = [(s.count, round(s.mean, 6), round(s.squares, 6), s.low, s.high) for s in (forward, backward)]
    assert got == [(11, 21.272727, 15178.181818, 1, 100), (11, 21.272727, 15178.181818, 1, 100)]


def test_values_after_parts():
    stats = Stats([10, 20])
    stats.merge(Stats([40, 50]))
    stats.add(30)
    stats.merge(Stats())
    assert (stats.count, round(stats.mean, 9), round(stats.variance, 9)) == (5, 30.0, 200.0)


def test_rows():
    assert [round(row_stats(WAVES, first, first + 3).variance, 4) for first in (0, 2, 4)] == [
        3539.6988,
        3030.1671,
        2705.686,
    ]


def test_bright_image_keeps_its_digits():
    image = Image([[2**40 + (x + y) % 3 for x in range(6)] for y in range(6)], 2**41)
    assert [round(image_stats(image, size).variance, 3) for size in (2, 4, 6)] == [0.667, 0.667, 0.667]


def test_normalize():
    image = normalize(Image([[100, 104, 96], [100, 108, 92]]), 128, 40, tile_size=2)
    assert image.rows == [[128, 159, 97], [128, 190, 66]]
