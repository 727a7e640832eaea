"""Durations as text."""

from datetime import timedelta

SECOND = timedelta(seconds=1)


class ClockError(ValueError):
    """Text that is no duration."""


def parse(text):
    """`4:05`, `1:04:05` or `4:05.7` -> timedelta"""
    fields = text.strip().split(":")
    if not 2 <= len(fields) <= 3:
        raise ClockError(f"no duration: {text!r}")
    try:
        *hours, minutes, seconds = fields
        parsed = timedelta(
            hours=int(hours[0]) if hours else 0,
            minutes=int(minutes),
            seconds=int(seconds.partition(".")[0]),
            milliseconds=int((seconds.partition(".")[2] + "000")[:3]),
        )
    except ValueError:
        raise ClockError(f"no duration: {text!r}") from None
    if int(seconds.partition(".")[0]) >= 60 or (hours and int(minutes) >= 60):
        raise ClockError(f"no duration: {text!r}")
    return parsed


def whole_seconds(duration):
    """Seconds, rounded half up; away from zero for negative differences."""
    size = (abs(duration) + SECOND / 2) // SECOND
    return -size if duration < timedelta(0) else size


def digits(seconds):
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"


def show(duration):
    return digits(whole_seconds(duration))


def show_difference(duration):
    """With its sign."""
    seconds = whole_seconds(duration)
    if not seconds:
        return digits(0)
    return ("-" if seconds < 0 else "+") + digits(abs(seconds))
