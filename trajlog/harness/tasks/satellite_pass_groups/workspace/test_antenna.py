import pytest
from antenna.handover import longest_pause
from antenna.main import main
from antenna.sightings import LogError, read_log


def lines(*argv):
    out = []
    assert main(argv, out) == 0
    return out


def test_passes():
    assert lines("passes", "antenna.csv") == [
        "06:00:00-06:06:00 NOAA-15 34 deg",
        "06:08:00-06:09:30 ISS 61 deg",
        "06:40:00-06:44:00 NOAA-18 47 deg",
        "07:41:00-07:45:30 NOAA-18 21 deg",
        "07:46:00-07:46:00 METEOR 70 deg",
    ]


def test_handovers():
    assert lines("handovers", "antenna.csv") == [
        "06:08:00 NOAA-15 -> ISS after 120 s",
        "06:40:00 ISS -> NOAA-18 after 1830 s",
        "07:41:00 NOAA-18 -> NOAA-18 after 3420 s",
        "07:46:00 NOAA-18 -> METEOR after 30 s",
    ]


def test_longest_pause():
    assert longest_pause(read_log(["06:00:00,A,1,1", "06:07:30,B,1,1", "06:08:30,A,1,1"])) == 450


def test_table():
    assert lines("table", "antenna.csv")[2:] == ["NOAA-15   1   360 s   71", "NOAA-18   2   510 s   66"]


def test_bad_lines():
    with pytest.raises(LogError, match="line 2: 3 columns"):
        list(read_log(["06:00:00,A,1,1", "06:00:00,A,1"]))
