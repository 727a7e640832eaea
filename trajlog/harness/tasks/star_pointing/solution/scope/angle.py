"""Angles in degrees, minutes and seconds, kept as whole milliarcseconds."""

import re
from dataclasses import dataclass

SECOND = 1000
MINUTE = 60 * SECOND
DEGREE = 60 * MINUTE
CIRCLE = 360 * DEGREE


class AngleError(ValueError):
    """Text that is no angle."""


def join(is_negative, degrees, minutes, seconds):
    """Milliarcseconds out of parts that have no sign of their own."""
    size = degrees * DEGREE + minutes * MINUTE + round(seconds * SECOND)
    return -size if is_negative else size


def split(size):
    """(is negative, degrees, minutes, whole seconds)"""
    seconds = (abs(size) + SECOND // 2) // SECOND
    minutes, seconds = divmod(seconds, 60)
    degrees, minutes = divmod(minutes, 60)
    return size < 0 and (degrees, minutes, seconds) != (0, 0, 0), degrees, minutes, seconds


@dataclass(frozen=True, order=True)
class Angle:
    mas: int = 0

    @classmethod
    def parse(cls, text):
        """`-12 30 45.5` or `-12.5`"""
        parts = re.fullmatch(r"([+-]?)(\d+)(?: (\d+) (\d+(?:\.\d+)?))?", text.strip())
        if parts is None:
            return cls.of_degrees(text)
        sign, degrees, minutes, seconds = parts.groups(default="0")
        if int(minutes) >= 60 or float(seconds) >= 60:
            raise AngleError(f"no angle: {text!r}")
        return cls(join(sign == "-", int(degrees), int(minutes), float(seconds)))

    @classmethod
    def of_degrees(cls, number):
        try:
            return cls(round(float(number) * DEGREE))
        except ValueError:
            raise AngleError(f"no angle: {number!r}") from None

    @property
    def degrees(self):
        return self.mas / DEGREE

    def __add__(self, other):
        return Angle(self.mas + other.mas)

    def __sub__(self, other):
        return Angle(self.mas - other.mas)

    def __neg__(self):
        return Angle(-self.mas)

    def __abs__(self):
        return Angle(abs(self.mas))

    def wrapped(self):
        """The same direction between 0 (inclusive) and 360 degrees (exclusive)."""
        return Angle(self.mas % CIRCLE)

    def __str__(self):
        is_negative, degrees, minutes, seconds = split(self.mas)
        return f"{'-' if is_negative else '+'}{degrees:02d} {minutes:02d} {seconds:02d}"
