import pytest
from field import Field, Runner
from results import Results
from timing import TimingError

FIELD = Field([Runner(1, "Ada", "Mill", 1990), Runner(2, "Ben", "Port", 1980), Runner(3, "Cleo", "Mill", 1979),
               Runner(4, "Dan", "Port", 1999)], 2024)


def names(results):
    return [result.name for result in results]


def test_sheet():
    assert Results(FIELD, "2 9000\n1 9000\n4 9050\n3 DNF").sheet() == [
        "  1 Ben 2:30:00", "  1 Ada 2:30:00", "  3 Dan 2:30:50"]


def test_no_ties():
    results = Results(FIELD, "1 9000\n2 9100\n3 9200\n")
    assert names(results.by_points()) == ["Ada", "Ben", "Cleo"]
    assert names(results.slowest(2)) == ["Cleo", "Ben"]


def test_equal_points_in_the_order_of_crossing():
    results = Results(FIELD, "4 8990\n2 9000\n1 9000\n3 9000\n")
    assert names(results.by_points()) == ["Dan", "Ben", "Ada", "Cleo"]


def test_wrong_time():
    with pytest.raises(TimingError, match="line 2"):
        Results(FIELD, "1 9000\n2 soon")
