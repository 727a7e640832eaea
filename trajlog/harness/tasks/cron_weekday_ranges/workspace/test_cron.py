from datetime import datetime

import pytest
from cron import CronError, Table

START = datetime(2024, 3, 6, 12, 0)  # a Wednesday

TABLE = """
# name and command
*/20 8-9 * * mon-fri   mail    send --all
@daily                 sweep   rm tmp
0 9 * * fri-sun        backup  copy
0 9 * * 1,5-7          report  print
0 0 13 * fri           luck    hide
"""


@pytest.fixture
def table():
    return Table.parse(TABLE)


def test_steps_and_names(table):
    assert table.describe("mail", datetime(2024, 3, 8, 9, 10)) == (
        "next runs of 'mail': Fri 08 Mar 09:20, Fri 08 Mar 09:40, Mon 11 Mar 08:00"
    )
    assert table.due(datetime(2024, 3, 7, 0, 0)) == ["rm tmp"]


def test_day_or_weekday(table):
    assert table.describe("luck", START) == "next runs of 'luck': Fri 08 Mar 00:00, Wed 13 Mar 00:00, Fri 15 Mar 00:00"


def test_weekend(table):
    assert table.describe("backup", START, 4) == (
        "next runs of 'backup': Fri 08 Mar 09:00, Sat 09 Mar 09:00, Sun 10 Mar 09:00, Fri 15 Mar 09:00"
    )


def test_list_with_a_range_up_to_seven(table):
    assert [moment.day for moment in table.next_runs("report", START, 5)] == [8, 9, 10, 11, 15]


@pytest.mark.parametrize("fields", ["60 * * * *", "* 9-7 * * *", "* * 0 * *", "* * * * 8", "*/0 * * * *", "* * * *"])
def test_mistakes(fields):
    with pytest.raises(CronError, match="line 1"):
        Table.parse(f"{fields} name command")
