import pytest
from twin.cint import Trap, div, i16, i32, mul
from twin.compare import differences, summary
from twin.filters import Smooth
from twin.probe import Probe, degrees


def test_warm_ground():
    frames = Probe(coefficient=0).run([(1200 + 30 * i, 400 - i) for i in range(6)])
    assert [(f.temperature, f.moisture) for f in frames] == [
        (43, 100), (84, 174), (119, 230), (153, 272), (185, 303), (215, 326),
    ]


def test_frozen_ground():
    smooth = Smooth(8, -3)
    assert [smooth.step(x) for x in (-20, -20, -31, -5, 0, 12)] == [-5, -7, -10, -10, -9, -6]


def test_recorded_frost():
    samples = [(400 - 37 * i, 310 + i) for i in range(5)]
    log = "\n".join(f"{t} {d} {h}" for (t, d), h in zip(samples, RECORDED, strict=True))
    assert differences(log) == []
    assert summary(Probe().run(samples)) == "-8.9 to -1.8, moisture 262"


RECORDED = (
    "ffee0054000078",
    "ffdd0093ff567c",
    "ffcc00c4ff5673",
    "ffba00e9ff5319",
    "ffa70106ff4ce4",
)


def test_words():
    assert [i16(32768), i16(-32769), i32(2**31 + 5), mul(300, 300)] == [-32768, 32767, -2147483643, 90000]


def test_display():
    assert [degrees(x) for x in (215, -215, -5, 0)] == ["21.5", "-21.5", "-0.5", "0.0"]


def test_trap():
    with pytest.raises(Trap, match="by zero"):
        div(1, 0)
