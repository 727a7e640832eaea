"""Words, numbers, names and separators."""

import re
from dataclasses import dataclass

from orders.items import OrderError

KEYWORDS = {"and", "to", "bed", "of", "a", "dozen"}
PATTERN = re.compile(r"""
    (?P<space>\s+)
  | (?P<number>\d+)
  | (?P<word>[^\W\d_][\w'-]*)
  | (?P<mark>[,;])
""", re.VERBOSE)


@dataclass(frozen=True)
class Token:
    """`kind` is number, name, mark, end, or the keyword itself."""

    kind: str
    text: str
    column: int


def tokens(text):
    text = unquoted(text)
    result, position = [], 0
    while position < len(text):
        match = PATTERN.match(text, position)
        if match is None:
            raise OrderError(f"unexpected {text[position]!r}", position + 1)
        if match.lastgroup != "space":
            result.append(token(match.lastgroup, match[0], position + 1))
        position = match.end()
    result.append(Token("end", "", len(text) + 1))
    return result


def token(kind, text, column):
    if kind == "word":
        word = text.lower()
        return Token(word if word in KEYWORDS else "name", word, column)
    return Token(kind, text, column)


def unquoted(text):
    """Takes quotes off names; two quotes stand for one."""
    return text.replace('""', "\0").replace('"', "").replace("\0", '"')
