"""Right ascensions: hours, minutes and seconds of time; 24 h are the circle."""

import re

from scope.angle import DEGREE, MINUTE, Angle, AngleError

HOUR = 15 * DEGREE


def parse_hours(text):
    """`05h32m00.4s` -> Angle"""
    parts = re.fullmatch(r"(\d\d)h(\d\d)m(\d\d(?:\.\d+)?)s", text.strip())
    if parts is None:
        raise AngleError(f"no right ascension: {text!r}")
    hours, minutes, seconds = int(parts[1]), int(parts[2]), float(parts[3])
    if hours >= 24 or minutes >= 60 or seconds >= 60:
        raise AngleError(f"no right ascension: {text!r}")
    return Angle(hours * HOUR + minutes * HOUR // 60 + round(seconds * HOUR / 3600))


def show_hours(angle):
    """To the whole second of time, which is a quarter of a minute of arc."""
    second = MINUTE // 4
    seconds = (angle.wrapped().mas + second // 2) // second % 86400
    return f"{seconds // 3600:02d}h{seconds // 60 % 60:02d}m{seconds % 60:02d}s"
