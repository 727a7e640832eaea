"""Curves that turn scores into grades."""

from bisect import bisect_left
from fractions import Fraction


class CurveError(ValueError):
    """The points make no curve."""


def tenth(value):
    """Rounded to a tenth, halves up."""
    return (value * 10 + Fraction(1, 2)).__floor__() / 10


class Curve:
    def __init__(self, points):
        """`points` are (score, grade), by score; two with the same score make a step."""
        if len(points) < 2:
            raise CurveError("a curve needs two points")
        self._scores = [Fraction(str(score)) for score, _ in points]
        self._grades = [Fraction(str(grade)) for _, grade in points]
        if self._scores != sorted(self._scores):
            raise CurveError("scores must not fall")

    @property
    def best(self):
        return float(max(self._grades))

    def exact(self, score):
        """The grade as a fraction."""
        score = Fraction(str(score))
        upper = bisect_left(self._scores, score)
        if upper == len(self._scores):
            return self._grades[-1]
        low, high = self._scores[upper - 1], self._scores[upper]
        share = (score - low) / (high - low)
        return self._grades[upper - 1] + share * (self._grades[upper] - self._grades[upper - 1])

    def grade(self, score):
        return tenth(self.exact(score))

    def score_for(self, grade, limit):
        """The lowest whole score up to `limit` that gets at least the grade, or None."""
        low, high = 0, limit + 1
        while low < high:
            middle = (low + high) // 2
            if self.grade(middle) >= grade:
                high = middle
            else:
                low = middle + 1
        return low if low <= limit else None

    def shifted(self, by):
        """The curve for an exam that is made easier by so many points."""
        return Curve([(score - by, grade) for score, grade in zip(self._scores, self._grades)])


def parse_curve(text):
    """`0:1.0 20:3.0 60:6.0`"""
    try:
        return Curve([tuple(map(Fraction, part.split(":"))) for part in text.split()])
    except (TypeError, ValueError) as problem:
        raise CurveError(f"no curve: {text!r} ({problem})") from None
