import pytest
from sensors.alerts import AlertBook, Rule, jump_lines
from sensors.reading import BadReading, calibrated, read
from sensors.report import jumps, summary

CELLAR = ["# cellar", "07:01,4.0", "07:09.5,5.0", "07:10,9.0", "07:12,99,bad", "07:19,9.0", "07:25,8.0"]


def test_summary():
    assert summary(read(CELLAR), 10) == [
        "07:00-07:10 4.50 (4 to 5, 2)",
        "07:10-07:20 9.00 (9 to 9, 2)",
        "07:20-07:30 8.00 (8 to 8, 1)",
    ]


def test_jump_between_neighbours():
    assert jumps(read(CELLAR), minutes=10, limit=2.0) == [(430, 4.5)]
    assert jump_lines(read(CELLAR), 10, 1.0) == ["07:10 +4.50", "07:20 -1.00"]


def test_alerts():
    book = AlertBook([Rule("cold", low=5), Rule("hot", high=8.5, min_count=2)]).watch(read(CELLAR), 10)
    assert book.lines() == ["cold: 07:00-07:10", "hot: 07:10-07:20"]


def test_calibration():
    assert summary(calibrated(read(CELLAR[:3]), -1.0, 2.0), 60) == ["07:00-08:00 8.00 (7 to 9, 2)"]


def test_bad_lines():
    with pytest.raises(BadReading, match="line 2: 7h,3"):
        list(read(["07:00,1", "7h,3"]))
