from datetime import datetime

import pytest
from tides.book import Book
from tides.curve import Curve
from tides.events import TideError, read
from tides.weeks import days, next_label, previous_label

LINES = [
    "2024-12-29 23:40 L 0.90",
    "2024-12-30 05:50 H 3.70",
    "2024-12-30 12:05 L 0.85",
    "2024-12-31 06:30 H 3.90",
    "2025-01-01 13:10 L 0.70",
    "2025-01-01 19:20 H 3.95",
]


def test_week_in_summer():
    book = Book(["2024-07-03 04:00 L 1.10", "2024-07-03 10:15 H 3.5", "2024-07-08 02:00 L 1.00"])
    assert [*book.page("2024-W27"), *book.pages()] == [
        "Week 2024-W27",
        "Wed 03.07. 04:00 L 1.10  10:15 H 3.50",
        "2024-W27",
        "2024-W28",
    ]


def test_week_of_new_year():
    assert Book(LINES).page("2025-W01") == [
        "Week 2025-W01",
        "Mon 30.12. 05:50 H 3.70  12:05 L 0.85",
        "Tue 31.12. 06:30 H 3.90",
        "Wed 01.01. 13:10 L 0.70  19:20 H 3.95",
    ]


def test_neighbours():
    assert [next_label("2024-W09"), previous_label("2024-W02"), str(days("2025-W01")[0])] == [
        "2024-W10",
        "2024-W01",
        "2024-12-30",
    ]


def test_heights():
    curve = Curve(read(LINES))
    moments = [datetime(2024, 12, 30, 5, 50), datetime(2024, 12, 30, 8, 0), datetime(2025, 1, 1, 19, 0)]
    assert [(curve.height(when), curve.is_rising(when)) for when in moments] == [
        (370, False),
        (294, False),
        (393, True),
    ]


def test_bad_tides():
    with pytest.raises(TideError, match="two high waters"):
        read([LINES[1], LINES[3]])
    with pytest.raises(TideError, match="no tide: 'x'"):
        read(["x"])
