import pytest
from tram.clock import ClockError, parse_headway, show
from tram.line import Line, hour_rows, poster

SEVEN = """
line 7, 48 min round trip
6:00-9:00 every 7.5
9:00-10:00 every 10
"""


def test_full_hours():
    rows = hour_rows(Line.parse(SEVEN))
    assert rows[7] == [0, 8, 15, 23, 30, 38, 45, 53]
    assert sorted(rows) == [6, 7, 8, 9]


def test_whole_headways():
    line = Line.parse("line 2, 30 min\n23:30-25:00 every 20")
    assert poster(line).splitlines() == ["23 | 30 50", "24 | 10 30 50"]
    assert [show(m) for m in line.departures()] == ["23:30", "23:50", "24:10", "24:30", "24:50"]


def test_headways():
    assert [str(parse_headway(text)) for text in ("7", "7.5", "6 2/3", "8/h", "7/h")] == [
        '7', '15/2', '20/3', '15/2', '60/7',
    ]


def test_wait_and_vehicles():
    line = Line.parse("line 3, 25 min\n5:00-7:00 every 6")
    assert (line.vehicles(), line.gaps(), str(line.mean_wait(300, 360))) == (5, {6: 19}, "5/2")


def test_errors():
    with pytest.raises(ClockError, match="overlap"):
        Line.parse("line 3, 25 min\n5:00-7:00 every 6\n6:59-8:00 every 5")
    with pytest.raises(ClockError, match="no headway"):
        parse_headway("0/h")
