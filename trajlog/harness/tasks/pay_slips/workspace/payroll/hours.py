"""Time sheets: `week,day,from,to[,break minutes]`, times as HH:MM."""

import csv

from payroll.money import PayError

FULL_WEEK = 40 * 60


def minutes(clock):
    try:
        hour, minute = map(int, clock.split(":"))
    except ValueError:
        raise PayError(f"no time: {clock!r}") from None
    if not (0 <= hour <= 24 and 0 <= minute < 60):
        raise PayError(f"no time: {clock!r}")
    return hour * 60 + minute


def weeks(lines):
    """Minutes worked by week. Work that ends before it starts went on past midnight."""
    worked = {}
    for week, _day, start, end, *pause in csv.reader(lines):
        length = (minutes(end) - minutes(start)) % (24 * 60)
        length -= int(pause[0]) if pause else 0
        if length <= 0:
            raise PayError(f"nothing worked in week {week}: {start} to {end}")
        worked[int(week)] = worked.get(int(week), 0) + length
    return worked


def split_overtime(worked):
    """(usual minutes, overtime minutes) over all weeks."""
    usual = sum(min(total, FULL_WEEK) for total in worked.values())
    return usual, sum(worked.values()) - usual
