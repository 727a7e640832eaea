"""Dates of instalments."""

from calendar import monthrange
from datetime import date
from itertools import count


def add_months(day, months, day_of_month=None):
    """The date `months` later, on `day_of_month` (default: that of `day`), or the last day if there is none."""
    total = day.year * 12 + day.month - 1 + months
    year, month = total // 12, total % 12 + 1
    return date(year, month, min(day_of_month or day.day, monthrange(year, month)[1]))


def due_dates(start, step):
    """Yield the due dates after `start`, every `step` months."""
    for number in count(1):
        yield add_months(start, step * number)


def is_weekend(day):
    return day.weekday() >= 5


def days_between(start, end):
    return (end - start).days
