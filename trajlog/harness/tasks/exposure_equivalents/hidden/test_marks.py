from exposure.meter import Setting, equivalents
from exposure.scale import aperture_mark, time_mark, to_mark


def test_filters():
    base = Setting.nearest(1 / 60, 11)
    assert [str(base.through(factor)) for factor in (2, 8, 64, 100, 500, 1000, 3000, 30000)] == [
        '1/30 f/11', '1/8 f/11', '1" f/11', '1.6" f/11', '8" f/11', '15" f/11', '51" f/11',
        '8.5m f/11',
    ]


def test_half_way():
    found = [to_mark(x / 6) for x in (-9, -7, -5, -4, -3, -1, 0, 1, 3, 5, 6, 9)]
    assert found == [-5, -4, -3, -2, -2, -1, 0, 0, 1, 2, 3, 4]


def test_measured_times():
    assert [time_mark(t) for t in (0.9, 1.1, 1.13, 1.9, 2.2, 2.3, 7.1, 7.2, 29, 95, 240, 0.3)] == [
        0, 0, -1, -3, -3, -4, -8, -9, -15, -20, -24, 5,
    ]


def test_wide_apertures():
    assert [aperture_mark(n) for n in (0.8, 0.85, 0.9, 0.95, 0.98, 1.04, 1.1)] == [-2, -1, -1, 0, 0, 0, 1]


def test_dim_table():
    found = equivalents(Setting.nearest(23, 4), [0.9, 1.2, 2, 5, 16])
    assert [str(setting) for setting in found] == ['1.3" f/0.9', '2.5" f/1.2', '6" f/2', '40" f/5', '6.8m f/16']
