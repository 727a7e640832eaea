import pytest
from exposure.meter import Setting, bracket, equivalents, setting_for
from exposure.scale import ScaleError, aperture_mark


def test_short_times():
    found = [str(Setting.nearest(1 / t, f)) for t, f in ((125, 8), (60, 11), (1000, 2.8), (3, 1.8))]
    assert found == ["1/125 f/8", "1/60 f/11", "1/1000 f/2.8", "1/3 f/1.8"]


def test_long_times():
    assert [str(Setting.nearest(t, 8)) for t in (1.6, 5, 13, 20, 50)] == [
        '1.6" f/8', '5" f/8', '13" f/8', '20" f/8', '51" f/8',
    ]


def test_equivalents():
    found = equivalents(Setting.nearest(1 / 30, 5.6), [2.8, 4, 5.6, 8])
    assert [str(setting) for setting in found] == ["1/125 f/2.8", "1/60 f/4", "1/30 f/5.6", "1/15 f/8"]


def test_bracket():
    assert [str(s) for s in bracket(setting_for(2500, 8), 2)] == ["1/25 f/8", "1/15 f/8", "1/10 f/8"]


def test_no_time():
    with pytest.raises(ScaleError, match="no time"):
        Setting.nearest(0, 8)
    assert aperture_mark(22) == 27
