from datetime import date, timedelta

from tides.book import Book
from tides.weeks import days, label, next_label, previous_label


def daily(first, count):
    """Two events a day, the range a little different each day."""
    day = date.fromisoformat(first)
    for number in range(count):
        yield f"{day} 03:00 L {0.50 + number % 5 / 10:.2f}"
        yield f"{day} 09:10 H {3.00 + number * 7 % 11 / 10:.2f}"
        day += timedelta(days=1)


def test_labels_around_many_new_years():
    years = (2016, 2020, 2021, 2023, 2026)
    assert [label(date(year, month, day)) for year in years for month, day in ((1, 1), (12, 31))] == [
        "2015-W53",
        "2016-W52",
        "2020-W01",
        "2020-W53",
        "2020-W53",
        "2021-W52",
        "2022-W52",
        "2023-W52",
        "2026-W01",
        "2026-W53",
    ]


def test_steps_through_the_years():
    steps = [next_label(w) for w in ("2020-W52", "2020-W53", "2021-W52", "2024-W52")]
    steps += [previous_label(w) for w in ("2021-W01", "2016-W01", "2025-W01", "2023-W01")]
    assert steps == ["2020-W53", "2021-W01", "2022-W01", "2025-W01", "2020-W53", "2015-W53", "2024-W52", "2022-W52"]


def test_pages_in_order():
    book = Book(daily("2020-12-26", 12))
    assert [(name, book.count(name)) for name in book.pages()] == [("2020-W52", 4), ("2020-W53", 14), ("2021-W01", 6)]


def test_week_53_is_whole():
    book = Book(daily("2026-12-27", 9))
    assert book.page("2026-W53") == [
        "Week 2026-W53",
        "Mon 28.12. 03:00 L 0.60  09:10 H 3.70",
        "Tue 29.12. 03:00 L 0.70  09:10 H 3.30",
        "Wed 30.12. 03:00 L 0.80  09:10 H 4.00",
        "Thu 31.12. 03:00 L 0.90  09:10 H 3.60",
        "Fri 01.01. 03:00 L 0.50  09:10 H 3.20",
        "Sat 02.01. 03:00 L 0.60  09:10 H 3.90",
        "Sun 03.01. 03:00 L 0.70  09:10 H 3.50",
    ]


def test_spring_weeks():
    book = Book(daily("2024-12-25", 10))
    assert book.spring_weeks() == {"2024-12": ("2025-W01", 330), "2025-01": ("2025-W01", 290)}
    assert [str(day) for day in days("2024-W01")[::6]] == ["2024-01-01", "2024-01-07"]
