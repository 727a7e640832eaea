from twin.cint import div, mod
from twin.filters import Scale, Smooth, Trend
from twin.probe import Probe, checksum


def test_all_signs():
    pairs = [(7, 2), (-7, 2), (7, -2), (-7, -2), (-8, 4), (-1, 250)]
    assert [(div(a, b), mod(a, b)) for a, b in pairs] == [(3, 1), (-3, -1), (-3, 1), (3, -1), (-2, 0), (0, -1)]


def test_remainders_are_carried():
    smooth = Smooth(6, 10)
    seen = [(smooth.step(x), smooth.left) for x in (-1, -1, -50, -50, 3, 3, -7)]
    assert seen == [(9, -5), (7, -3), (-3, 0), (-10, -5), (-9, 2), (-7, 2), (-7, 2)]


def test_scale_rounds_down():
    scale = Scale(160, -400, -550, 1250)
    assert [scale.step(x) for x in (-1, -3, 0, 5, -300, 32767)] == [-401, -402, -400, -397, -550, 1250]


def test_trend_and_checksum():
    trend = Trend()
    values = [trend.step(x) for x in (5, 3, -4, -4, -5, 2)]
    assert (values, checksum(values), checksum([-9, 400, -31]), checksum([-1])) == (
        [0, -20, -45, -30, -26, 20], 171, 206, 255,
    )


def test_a_cold_night():
    frames = Probe(coefficient=17).run([(600 - 53 * i, 300 + 7 * (i % 3)) for i in range(9)])
    assert [f.data().hex() for f in frames] == [
        'fffd00530000c5', 'fffb0094ffec13', 'fff400c6ffd358', 'ffea00e9ffc14f', 'ffdd0105ff9cd6',
        'ffce011dff8247', 'ffbc012cff671c', 'ffa8013aff502c', 'ff930147ff3c4b',
    ]
