"""Tokens of formulas."""

import re
from dataclasses import dataclass

from taxform.errors import FormError
from taxform.names import normal

PATTERN = re.compile(r"""
    (?P<space>\s+)
  | (?P<range>\.\.)
  | (?P<percent>\d+(?:\.\d+)?\s*%)
  | (?P<money>€\s*\d[\d,]*(?:\.\d{1,2})?)
  | (?P<amount>\d+\.\d{1,2}(?![\d.]))
  | (?P<line>\d+[a-z]?)
  | (?P<word>[A-Za-z]+)
  | (?P<mark>[-+*()<>,;])
""", re.VERBOSE)


@dataclass(frozen=True)
class Token:
    kind: str
    text: str


def scan(text):
    found, at = [], 0
    while at < len(text):
        match = PATTERN.match(text, at)
        if match is None:
            raise FormError(f"unexpected {text[at]!r}")
        kind, value = match.lastgroup, match[0]
        if kind in ("line", "word"):
            value = normal(value)
        if kind != "space":
            found.append(Token(kind, value))
        at = match.end()
    found.append(Token("end", ""))
    return found
