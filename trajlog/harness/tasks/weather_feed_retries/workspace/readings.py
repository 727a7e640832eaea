"""Readings: dicts with `station`, `minute`, `value`, `unit` and `notes`."""

UNITS = ("C", "F", "K")


class ReadingError(ValueError):
    """A line that no station sends."""


def parse(line):
    """`north 12 71.5F` is a reading; words after it are notes of the station."""
    words = line.split()
    if len(words) < 3 or words[2][-1] not in UNITS:
        raise ReadingError(f"reading {line!r}")
    try:
        minute, value = int(words[1]), float(words[2][:-1])
    except ValueError:
        raise ReadingError(f"reading {line!r}") from None
    return {"station": words[0], "minute": minute, "value": value, "unit": words[2][-1], "notes": words[3:]}


def parse_all(text):
    return [parse(line) for line in text.splitlines() if line.strip()]


def to_celsius(value, unit):
    if unit == "F":
        return (value - 32) * 5 / 9
    if unit == "K":
        return value - 273.15
    return value
