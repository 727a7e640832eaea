from scope.angle import Angle
from scope.catalog import dump, read
from scope.mount import Mount


def test_read_and_write_again():
    texts = ["-00 17 57", "-00 00 01", "+00 17 57", "-12 30 00", "-00 59 59", "-89 00 01", "-01 00 00"]
    assert [str(Angle.parse(text)) for text in texts] == [
        "-00 17 57",
        "-00 00 01",
        "+00 17 57",
        "-12 30 00",
        "-00 59 59",
        "-89 00 01",
        "-01 00 00",
    ]


def test_milliarcseconds():
    texts = ["-00 00 30.25", "-0.5", "-00 30 00", "-1 30 00", "0 00 30.25", "-7", "-00 00 00"]
    assert [Angle.parse(text).mas for text in texts] == [-30250, -1800000, -1800000, -5400000, 30250, -25200000, 0]


def test_rounding_in_size():
    sizes = [-500, -499, 499, 500, -1500, -59_500, -3_599_500, 3_599_500, -3_600_499, -43_199_600]
    assert [str(Angle(mas)) for mas in sizes] == [
        "-00 00 01",
        "+00 00 00",
        "+00 00 00",
        "+00 00 01",
        "-00 00 02",
        "-00 01 00",
        "-01 00 00",
        "+01 00 00",
        "-01 00 00",
        "-12 00 00",
    ]


def test_decimal_degrees_in_a_catalogue():
    stars = read(["a;01h00m00s;-0.299", "b;23h00m00s;0.299;1.5", "c;12h00m00s;-0.0001", "d;02h00m00s;-33.75"])
    assert dump(stars).splitlines() == [
        "d;02h00m00s;-33 45 00;0.0",
        "a;01h00m00s;-00 17 56;0.0",
        "c;12h00m00s;+00 00 00;0.0",
        "b;23h00m00s;+00 17 56;1.5",
    ]


def test_log_with_a_leaning_tripod():
    stars = read(["a;01h00m00s;-00 20 00", "b;23h00m00s;+00 10 00", "c;23h30m00s;-00 30 00"])
    mount = Mount("-00 05 00")
    steps = [mount.slew(star) for star in stars.values()]
    assert steps == [(10800, -300), (-21600, 360), (5400, -480)]
    assert mount.log == ["a +15 00 00 -00 25 00", "b -30 00 00 +00 30 00", "c +07 30 00 -00 40 00"]
