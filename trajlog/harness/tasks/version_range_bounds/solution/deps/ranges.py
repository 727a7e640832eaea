"""Ranges of versions: `>=1.2 <2 || ~3.1`, `^0.3`, `1.x`, `1.2 - 1.4`."""

import operator
import re
from dataclasses import dataclass

from vendor.minisem import Version

PARTIAL = re.compile(r"v?(\d+)(?:\.(\d+|[xX*])(?:\.(\d+|[xX*])(?:-([0-9A-Za-z.-]+))?)?)?")
TERM = re.compile(r"\s*(\^|~|>=|<=|>|<|=)?\s*(\S+)")
TESTS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt, "=": operator.eq}
LOWEST_PRE = (0,)


class RangeError(ValueError):
    """A range that cannot be read."""


@dataclass(frozen=True)
class Bound:
    sign: str
    version: Version

    def takes(self, version):
        return TESTS[self.sign](version, self.version)

    def __str__(self):
        return f"{self.sign}{self.version}"


@dataclass(frozen=True)
class Partial:
    """A version of which the last numbers may be missing (None)."""

    numbers: tuple
    pre: tuple = ()

    @classmethod
    def parse(cls, text):
        match = PARTIAL.fullmatch(text)
        if match is None:
            raise RangeError(f"not a version: {text!r}")
        numbers = tuple(int(part) if part and part.isdigit() else None for part in match.groups()[:3])
        if match[4]:
            return cls(numbers, Version.parse(f"0.0.0-{match[4]}").pre)
        return cls(numbers)

    @property
    def num_given(self):
        return 3 - self.numbers.count(None)

    @property
    def is_full(self):
        return self.num_given == 3

    def lowest(self):
        return Version(*(number or 0 for number in self.numbers), self.pre)

    def below_next(self, index):
        """The bound in front of the version with that number counted up."""
        numbers = [number or 0 for number in self.numbers[:index + 1]]
        numbers[index] += 1
        return Bound("<", Version(*numbers, pre=LOWEST_PRE))


def _caret(partial):
    """Everything up to the next change of the first number that is not zero."""
    index = next((i for i, number in enumerate(partial.numbers) if number), None)
    if index is None:
        index = partial.num_given - 1
    return [Bound(">=", partial.lowest()), partial.below_next(index)]


def _tilde(partial):
    return [Bound(">=", partial.lowest()), partial.below_next(min(1, partial.num_given - 1))]


def _plain(sign, partial):
    if partial.is_full:
        return [Bound(sign, partial.lowest())]
    last = partial.num_given - 1
    match sign:
        case "=":
            return [Bound(">=", partial.lowest()), partial.below_next(last)]
        case "<=":
            return [partial.below_next(last)]
        case ">":
            return [Bound(">=", partial.below_next(last).version)]
        case _:
            return [Bound(sign, partial.lowest())]


def _term(sign, text):
    partial = Partial.parse(text)
    if sign == "^":
        return _caret(partial)
    if sign == "~":
        return _tilde(partial)
    return _plain(sign or "=", partial)


def _bounds(text):
    left, hyphen, right = text.partition(" - ")
    if hyphen:
        return [*_plain(">=", Partial.parse(left.strip())), *_plain("<=", Partial.parse(right.strip()))]
    if text in ("", "*", "x"):
        return []
    return [bound for sign, version in TERM.findall(text) for bound in _term(sign, version)]


class Range:
    def __init__(self, text):
        self.text = text
        self._choices = [_bounds(choice.strip()) for choice in text.split("||")]

    def takes(self, version):
        return any(all(bound.takes(version) for bound in choice) for choice in self._choices)

    def __str__(self):
        return self.text
