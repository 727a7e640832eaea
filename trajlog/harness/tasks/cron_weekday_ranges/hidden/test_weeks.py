from datetime import datetime

import pytest
from cron import CronError, Schedule, Table
from cron.fields import HOUR, MONTH, WEEKDAY


def test_ranges_with_sunday():
    parts = ("5-7", "fri-sun", "0-2", "7-2", "sun-tue", "0-7", "sun-sat", "mon-sun", "7", "0", "7-7")
    assert [sorted(WEEKDAY.parse(part)) for part in parts] == [
        [0, 5, 6], [0, 5, 6], [0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5, 6],
        [0, 1, 2, 3, 4, 5, 6], [0], [0], [0],
    ]


def test_ranges_over_the_end_of_the_week():
    parts = ("sat-mon", "6-1", "fri-tue", "thu-Wed", "5-0", "sat-mon,wed")
    assert [sorted(WEEKDAY.parse(part)) for part in parts] == [
        [0, 1, 6], [0, 1, 6], [0, 1, 2, 5, 6], [0, 1, 2, 3, 4, 5, 6], [0, 5, 6], [0, 1, 3, 6]
    ]


def test_steps():
    parts = ("fri-sun/2", "sat-tue/3", "1-7/2", "0-6/3", "*/2", "4-1/2")
    assert [sorted(WEEKDAY.parse(part)) for part in parts] == [[0, 5], [2, 6], [0, 1, 3, 5], [0, 3, 6], [0, 2, 4, 6],
                                                              [1, 4, 6]]


def test_runs_around_a_weekend():
    moments = Schedule("30 6 * * sat-mon").runs(datetime(2024, 12, 28, 7))
    assert [f"{next(moments):%a %d %m}" for _ in range(5)] == ["Sun 29 12", "Mon 30 12", "Sat 04 01", "Sun 05 01",
                                                              "Mon 06 01"]


def test_other_fields_stay_strict():
    messages = []
    for field, part in ((HOUR, "22-3"), (MONTH, "nov-feb"), (WEEKDAY, "5-8"), (WEEKDAY, "fry-sun")):
        with pytest.raises(CronError) as caught:
            field.parse(part)
        messages.append(str(caught.value))
    assert messages == ["hour: 22-3 runs backwards", "month: nov-feb runs backwards", "weekday: '8' is out of bounds",
                        "weekday: 'fry' is out of bounds"]


def test_due_on_sunday():
    table = Table.parse("0 9 * * fri-sun a first\n0 9 * * 6-1 b second\n0 9 * * 7 c third\n")
    assert [table.due(datetime(2024, 3, day, 9)) for day in (8, 9, 10, 11)] == [
        ["first"], ["first", "second"], ["first", "second", "third"], ["second"]
    ]
