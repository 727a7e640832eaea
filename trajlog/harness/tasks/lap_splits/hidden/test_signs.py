from datetime import timedelta

from laps.activity import read
from laps.clock import parse, show, show_difference
from laps.report import balance, table
from laps.targets import Even, Negative, Previous


def test_differences_as_text():
    seconds = [-2, -62, -60, -3723, -3600, 65, 3601, 0, -0.4, -0.5, -1.5, 0.5, 1.49, 90061, -90061]
    assert [show_difference(timedelta(seconds=s)) for s in seconds] == [
        "-0:02",
        "-1:02",
        "-1:00",
        "-1:02:03",
        "-1:00:00",
        "+1:05",
        "+1:00:01",
        "0:00",
        "0:00",
        "-0:01",
        "-0:02",
        "+0:01",
        "+0:01",
        "+25:01:01",
        "-25:01:01",
    ]


def test_durations_as_text():
    assert [show(parse(t)) for t in ("0:00", "59:59.4", "59:59.5", "23:59:59", "24:00:00", "100:00:01")] == [
        "0:00",
        "59:59",
        "1:00:00",
        "23:59:59",
        "24:00:00",
        "100:00:01",
    ]


def test_stars():
    activity = read(["T", "1000,4:59.6", "1000,4:59.5", "2000,9:10", "1000,5:00.0", "4000,18:55"])
    assert [line[-12:] for line in table(activity, Even(parse("5:00")))] == [
        "T",
        "00      0:00",
        "     -0:01 *",
        "     -0:50 *",
        "00      0:00",
        "     -1:05 *",
        " m     43:04",
    ]


def test_balance_changes_sign():
    activity = read(["T", "1000,5:00", "1000,4:40", "1000,4:00", "1000,6:10", "500,2:30"])
    assert balance(activity, Negative(parse("5:00"), parse("0:05"))) == ["0:00", "-0:15", "-1:05", "+0:20", "+0:30"]


def test_against_an_earlier_day():
    earlier = read(["A", "1000,5:00", "500,2:20", "100,9:00,rest"])
    later = read(["B", "1000,3:58.2", "1000,4:45", "42000,3:10:00"])
    assert table(later, Previous(earlier)) == [
        "B",
        "  1000 m      3:58     -1:02 *",
        "  1000 m      4:45     +0:05",
        " 42000 m   3:10:00     -6:00 *",
        " 44000 m   3:18:43",
    ]
