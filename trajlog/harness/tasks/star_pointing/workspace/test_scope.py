import pytest
from scope.angle import Angle, AngleError
from scope.catalog import band, dump, read
from scope.hours import parse_hours, show_hours
from scope.mount import Mount

ORION = [
    "# Orion",
    "Betelgeuse;05h55m10.3s;+07 24 25;0.5",
    "Rigel;05h14m32.3s;-08 12 06;0.1",
    "Mintaka;05h32m00.4s;-00 17 57;2.2",
    "Alnitak;05h40m45.5s;-01 56 34;1.8",
]


def test_far_stars():
    stars = read(ORION)
    mount = Mount()
    assert [mount.slew(stars["Betelgeuse"]), mount.slew(stars["Rigel"]), mount.slew(stars["Alnitak"])] == [
        (63931, 5333),
        (-7314, -11238),
        (4720, 4506),
    ]


def test_star_near_the_equator():
    stars = read(ORION)
    assert Mount().slew(stars["Mintaka"]) == (59761, -215)
    assert band(stars, "-05 00 00", "0") == ["Alnitak", "Mintaka"]


def test_dump():
    assert dump(read(ORION[1:3])) == 'Rigel;05h14m32s;-08 12 06;0.1\nBetelgeuse;05h55m10s;+07 24 25;0.5'


def test_right_ascensions():
    assert [show_hours(parse_hours(t)) for t in ("00h00m01.4s", "12h59m59.6s", "23h59m59.7s")] == [
        "00h00m01s",
        "13h00m00s",
        "00h00m00s",
    ]


def test_bad_angles():
    for text in ("12 60 00", "x", "1 2"):
        with pytest.raises(AngleError):
            Angle.parse(text)
    with pytest.raises(AngleError, match="line 1: declination -91 00 00"):
        read(["X;00h00m00s;-91 00 00"])
