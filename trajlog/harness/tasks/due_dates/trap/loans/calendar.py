"""Dates of instalments."""

from calendar import monthrange
from datetime import date


def add_months(day, months):
    """The date `months` later, on the last day of the month if it is too short."""
    total = day.year * 12 + day.month - 1 + months
    year, month = total // 12, total % 12 + 1
    return date(year, month, min(day.day, monthrange(year, month)[1]))


def due_dates(start, step):
    """Yield the due dates after `start`, every `step` months."""
    day = start
    at_end = start.day == monthrange(start.year, start.month)[1]
    while True:
        day = add_months(day, step)
        if at_end:
            day = day.replace(day=monthrange(day.year, day.month)[1])
        yield day


def is_weekend(day):
    return day.weekday() >= 5


def days_between(start, end):
    return (end - start).days
