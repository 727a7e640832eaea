from datetime import date, timedelta

from cellar import DAYS, Wheel, busiest, load_per_week, week_label, week_start


def test_every_start_day():
    day = date(2024, 1, 2)
    assert [week_start(day, first).isoformat() for first in DAYS] == [
        '2024-01-01',
        '2024-01-02',
        '2023-12-27',
        '2023-12-28',
        '2023-12-29',
        '2023-12-30',
        '2023-12-31',
    ]


def test_seven_days_have_one_start():
    day = date(2023, 12, 29)
    starts = [week_start(day + timedelta(days=i), "fri").isoformat() for i in range(8)]
    assert starts == [
        '2023-12-29',
        '2023-12-29',
        '2023-12-29',
        '2023-12-29',
        '2023-12-29',
        '2023-12-29',
        '2023-12-29',
        '2024-01-05',
    ]


def test_load_and_busiest():
    wheels = [Wheel(n, "tilsit", date(2024, 2, 20 + n), every=n + 2, weeks=2) for n in range(1, 5)]
    load = {f"{begin:%m-%d}": count for begin, count in load_per_week(wheels, "sat").items()}
    assert (load, busiest(wheels, "sat").isoformat()) == ({"02-24": 7, "03-02": 4}, "2024-02-24")


def test_label_of_a_sunday_week():
    assert [week_label(date(2025, 3, 1), first) for first in ("sun", "sat", "mon")] == [
        '23 Feb - 01 Mar 2025', '01 Mar - 07 Mar 2025', '24 Feb - 02 Mar 2025',
    ]
