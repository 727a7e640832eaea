"""Labels of calendar weeks, such as `2024-W07`."""

from datetime import date, timedelta

WEEK = timedelta(days=7)


def label(day):
    """The week that a day belongs to."""
    if day.month == 12 and f"{day:%V}" == "01":
        return f"{day.year + 1}-W01"
    return f"{day:%Y-W%V}"


def monday(name):
    """The first day of a week."""
    year, _, week = name.partition("-W")
    return date.fromisocalendar(int(year), int(week), 1)


def days(name):
    first = monday(name)
    return [first + timedelta(days=number) for number in range(7)]


def next_label(name):
    return label(monday(name) + WEEK)


def previous_label(name):
    return label(monday(name) - WEEK)
