"""minisem 0.3 - semantic versions in one file.

Ordering follows semver.org: numbers before words in pre-releases, a pre-release before its release.
"""

import re
from functools import total_ordering

__version__ = "0.3"

_PATTERN = re.compile(r"(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?")


@total_ordering
class Version:
    __slots__ = ("major", "minor", "patch", "pre")

    def __init__(self, major, minor=0, patch=0, pre=()):
        self.major, self.minor, self.patch, self.pre = major, minor, patch, tuple(pre)

    @classmethod
    def parse(cls, text):
        match = _PATTERN.fullmatch(text.strip().removeprefix("v"))
        if match is None:
            raise ValueError(f"not a version: {text!r}")
        pre = [int(part) if part.isdigit() else part for part in match[4].split(".")] if match[4] else ()
        return cls(int(match[1]), int(match[2]), int(match[3]), pre)

    @property
    def release(self):
        return self.major, self.minor, self.patch

    def _key(self):
        marks = tuple((isinstance(part, str), part if isinstance(part, int) else 0, str(part)) for part in self.pre)
        return self.release, not self.pre, marks

    def __eq__(self, other):
        return isinstance(other, Version) and self._key() == other._key()

    def __lt__(self, other):
        return self._key() < other._key()

    def __hash__(self):
        return hash(self._key())

    def __str__(self):
        pre = "-" + ".".join(map(str, self.pre)) if self.pre else ""
        return f"{self.major}.{self.minor}.{self.patch}{pre}"

    def __repr__(self):
        return f"Version({str(self)!r})"
