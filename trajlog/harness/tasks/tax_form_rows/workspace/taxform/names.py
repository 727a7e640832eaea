"""Names of lines: a number and perhaps a letter."""

import re

NAME = re.compile(r"(\d+)([A-Za-z]?)$")


def normal(name):
    return name.lower()


def order(name):
    number, letter = NAME.match(name).groups()
    return int(number), letter


def is_name(text):
    return NAME.match(text) is not None


def span(names, first, last):
    """The names from the first to the last, both included."""
    low, high = order(first), order(last)
    return sorted((name for name in names if low <= order(name) <= high), key=order)
