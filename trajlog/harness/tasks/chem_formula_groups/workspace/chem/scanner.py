"""Tokens of formulas."""

import re
from dataclasses import dataclass

_TOKEN = re.compile(r"(?P<element>[A-Z][a-z]?)|(?P<number>\d+)|(?P<open>[(\[])|(?P<close>[)\]])|(?P<dot>[.·])")


class FormulaError(ValueError):
    """A text that is no formula; `position` counts from 0."""

    def __init__(self, message, position):
        super().__init__(f"{message} at {position}")
        self.position = position


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    position: int


def tokens(text):
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise FormulaError(f"unexpected {text[position]!r}", position)
        yield Token(match.lastgroup, match.group(), position)
        position = match.end()
    yield Token("end", "", position)
