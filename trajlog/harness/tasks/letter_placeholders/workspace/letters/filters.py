"""Filters: functions of a value and arguments."""

import textwrap


def default(value, other=""):
    return other if value in (None, "") else value


def join(values, separator=", ", last=None):
    values = [str(value) for value in values]
    if last is None or len(values) < 2:
        return separator.join(values)
    return separator.join(values[:-1]) + last + values[-1]


def replace(value, old, new):
    return str(value).replace(old, new)


def money(value, currency="EUR"):
    return f"{value:,.2f} {currency}"


def shorten(value, width, end="..."):
    text = str(value)
    return text if len(text) <= width else text[:width].rstrip() + end


def wrap(value, width=60, indent=""):
    return textwrap.fill(str(value), width, subsequent_indent=indent)


FILTERS = {
    "default": default,
    "join": join,
    "lower": lambda value: str(value).lower(),
    "money": money,
    "replace": replace,
    "shorten": shorten,
    "upper": lambda value: str(value).upper(),
    "wrap": wrap,
}
