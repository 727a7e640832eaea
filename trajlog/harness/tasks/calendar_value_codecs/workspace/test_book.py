from datetime import date, datetime, time, timedelta

import pytest
from agenda import Book
from agenda.codec import CodecError, registry
from agenda.entries import Entry, Meeting

DAY = date(2024, 3, 5)


def again(book, tmp_path):
    book.save(tmp_path / "book.json")
    return Book.load(tmp_path / "book.json")


def test_all_day_entries(tmp_path):
    book = Book("ada", [Entry("fair", DAY), Entry("holiday", date(2024, 3, 6))])
    loaded = again(book, tmp_path)
    assert (loaded.owner, loaded.on(DAY), loaded.on(date(2024, 3, 6))) == ("ada", ["fair"], ["holiday"])


def test_meeting_keeps_its_clock_time(tmp_path):
    book = Book("ada")
    book.add(Meeting("review", datetime(2024, 3, 5, 14, 30), timedelta(minutes=45), ["ben"]))
    book.add(Entry("fair", DAY))
    loaded = again(book, tmp_path)
    assert loaded.on(DAY) == ["fair", "14:30 review"]
    assert (loaded.entries[1].length.seconds, loaded.entries[1].guests) == (2700, ["ben"])


def test_text_of_a_length():
    assert registry.dumps([timedelta(hours=1), time(9, 5)]) == (
        '[{"$": "length", "v": 3600.0}, {"$": "clock", "v": "09:05:00"}]'
    )


def test_unknown_kind():
    with pytest.raises(CodecError, match="no form for a set"):
        registry.dumps({"a": {1}})
