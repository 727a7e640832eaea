"""Exact decimal numbers: an integer and a scale (the number of its decimals)."""

from functools import total_ordering


class FixedError(ValueError):
    """A text that is no number, or a scale that makes no sense."""


@total_ordering
class Fixed:
    __slots__ = ("units", "scale")

    def __init__(self, units, scale=0):
        if scale < 0:
            raise FixedError("the scale is negative")
        self.units = units
        self.scale = scale

    @classmethod
    def parse(cls, text):
        text = text.strip()
        sign = -1 if text.startswith("-") else 1
        whole, _, decimals = text.lstrip("+-").partition(".")
        if not (whole + decimals).isdigit():
            raise FixedError(f"not a number: {text!r}")
        return cls(sign * int(whole + decimals), len(decimals))

    def _at(self, scale):
        """The units in a scale that is not smaller than the own one."""
        return self.units * 10 ** (scale - self.scale)

    def _pair(self, other):
        scale = max(self.scale, other.scale)
        return self._at(scale), other._at(scale), scale

    def __add__(self, other):
        mine, theirs, scale = self._pair(other)
        return Fixed(mine + theirs, scale)

    def __sub__(self, other):
        mine, theirs, scale = self._pair(other)
        return Fixed(mine - theirs, scale)

    def __neg__(self):
        return Fixed(-self.units, self.scale)

    def __mul__(self, other):
        if isinstance(other, int):
            return Fixed(self.units * other, self.scale)
        return Fixed(self.units * other.units, self.scale + other.scale)

    __rmul__ = __mul__

    def percent(self, rate):
        """`rate` per cent of the number."""
        return Fixed(self.units * rate.rounded(3).units, self.scale + 3 + 2)

    def rounded(self, scale):
        """The nearest number with so many decimals, half away from zero."""
        if scale >= self.scale:
            return Fixed(self._at(scale), scale)
        step = 10 ** (self.scale - scale)
        units, rest = divmod(abs(self.units), step)
        if 2 * rest >= step:
            units += 1
        return Fixed(units if self.units >= 0 else -units, scale)

    def _normal(self):
        units, scale = self.units, self.scale
        while scale and units % 10 == 0:
            units //= 10
            scale -= 1
        return units, scale

    def __eq__(self, other):
        if not isinstance(other, Fixed):
            return NotImplemented
        return self._normal() == other._normal()

    def __lt__(self, other):
        mine, theirs, _ = self._pair(other)
        return mine < theirs

    def __hash__(self):
        return hash(self._normal())

    def __str__(self):
        digits = str(abs(self.units)).rjust(self.scale + 1, "0")
        sign = "-" if self.units < 0 else ""
        if not self.scale:
            return sign + digits
        return f"{sign}{digits[:-self.scale]}.{digits[-self.scale:]}"

    def __repr__(self):
        return f"Fixed({str(self)!r})"


ZERO = Fixed(0)
