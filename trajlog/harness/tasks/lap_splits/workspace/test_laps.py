import pytest
from laps.activity import ExportError, read
from laps.clock import ClockError, parse, show
from laps.report import paces, table
from laps.targets import Even

RUN = ["Evening run", "1000,5:02", "1000,5:10.4", "300,2:00,rest", "500,2:31"]


def test_slower_laps():
    assert table(read(RUN), Even(parse("5:00"))) == [
        "Evening run",
        "  1000 m      5:02     +0:02",
        "  1000 m      5:10     +0:10",
        "   500 m      2:31     +0:01",
        "  2500 m     14:43",
    ]


def test_faster_lap():
    assert table(read(["Track", "400,1:28"]), Even(parse("3:45"))) == [
        "Track",
        "   400 m      1:28     -0:02 *",
        "   400 m      1:28",
    ]


def test_paces():
    assert paces(read(RUN)) == ["5:02/km", "5:10/km", "5:02/km"]


def test_long_race():
    assert show(parse("30:04:59.5")) == "30:05:00"


def test_bad_input():
    for text in ("5", "5:61", "1:60:00", "a:b"):
        with pytest.raises(ClockError):
            parse(text)
    with pytest.raises(ExportError, match="line 2: a lap of 0 m"):
        read(["x", "0,1:00"])
