"""Rolls into tokens."""

import re
from dataclasses import dataclass

TOKEN = re.compile(r"(?P<number>\d+)|(?P<word>kh|kl|d)|(?P<sign>[-+*()%!])")
BLANKS = re.compile(r"\s*")


class DiceError(ValueError):
    """A roll that cannot be read; `position` counts from 0."""

    def __init__(self, message, position):
        super().__init__(message)
        self.position = position


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    start: int
    end: int


def tokenize(text):
    tokens = []
    position = BLANKS.match(text).end()
    while position < len(text):
        match = TOKEN.match(text.lower(), position)
        if match is None:
            raise DiceError(f"unexpected {text[position]!r}", position)
        tokens.append(Token(match.lastgroup, match[0], match.start(), match.end()))
        position = BLANKS.match(text, match.end()).end()
    tokens.append(Token("end", "", len(text), len(text)))
    return tokens
