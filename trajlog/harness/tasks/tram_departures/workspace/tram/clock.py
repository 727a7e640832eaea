"""Times of day as minutes."""

from fractions import Fraction


class ClockError(ValueError):
    """A text that is no time or headway."""


def parse_time(text):
    hours, _, minutes = text.partition(":")
    if not (hours.isdigit() and minutes.isdigit() and len(minutes) == 2 and int(minutes) < 60):
        raise ClockError(f"no time: {text!r}")
    return int(hours) * 60 + int(minutes)


def show(minute):
    """Hours after midnight go on: 25:10 is ten past one of the same service day."""
    return f"{minute // 60}:{minute % 60:02}"


def parse_headway(text):
    """Minutes between trams, exactly: `7`, `7.5`, `6 2/3` or `8/h`."""
    text = text.strip()
    try:
        if text.endswith("/h"):
            headway = Fraction(60) / Fraction(text[:-2])
        else:
            headway = sum(Fraction(part) for part in text.split())
    except (ValueError, ZeroDivisionError):
        raise ClockError(f"no headway: {text!r}") from None
    if headway <= 0:
        raise ClockError(f"no headway: {text!r}")
    return headway


def whole_minute(value):
    """The nearest minute, half a minute up."""
    return (2 * value + 1) // 2
