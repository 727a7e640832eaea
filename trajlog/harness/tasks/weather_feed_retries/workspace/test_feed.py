import pytest
from archive import Archive
from feed import Feed
from flow import GaveUp
from readings import ReadingError, parse, parse_all

OFFSETS = {"north": -0.5}


def test_archive_that_is_never_busy():
    archive = Archive()
    assert Feed(archive, OFFSETS).collect(parse_all("north 0 12C\nsouth 0 50F\nsouth 1 400F\n")) == 2
    assert archive.stored == [("north", 0, 11.5, "C", ("calibrated -0.5",)), ("south", 0, 10.0, "C", ("was F",))]


def test_busy_archive_stores_the_same_values():
    archive = Archive(busy=[1, 2])
    Feed(archive, OFFSETS).collect([parse("north 0 12C"), parse("north 1 13C")])
    assert archive.values("north") == [11.5, 12.5]


def test_jumps_are_noted():
    archive = Archive()
    Feed(archive, {}).collect(parse_all("south 0 10C\nsouth 1 18C gust\nsouth 2 17C"))
    assert (archive.notes(), archive.mean("south")) == ([(), ("gust", "jump"), ()], 15.0)


def test_always_busy():
    with pytest.raises(GaveUp):
        Feed(Archive(busy=range(1, 99)), {}).collect([parse("north 0 12C")])


def test_wrong_line():
    with pytest.raises(ReadingError):
        parse("north 0 12X")
