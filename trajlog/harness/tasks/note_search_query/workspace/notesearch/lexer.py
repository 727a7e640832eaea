"""Queries into tokens."""

import re
from dataclasses import dataclass

PATTERN = re.compile(
    r'\s*(?:"(?P<phrase>[^"]*)"|(?P<field>[a-z]+):(?=[^\s])|(?P<minus>-)(?=[^\s-])|(?P<open>\()|(?P<close>\))'
    r'|(?P<word>[^\s()":]+))'
)
OPERATORS = {"AND", "OR", "NOT"}


class QueryError(ValueError):
    """A query that makes no sense; `position` is where."""

    def __init__(self, message, position):
        super().__init__(f"{message} at {position}")
        self.position = position


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    position: int


def tokenize(query):
    query = query.rstrip()
    position = 0
    found = []
    while position < len(query):
        match = PATTERN.match(query, position)
        if match is None:
            raise QueryError(f"cannot read {query[position:].strip()[:10]!r}", position)
        kind, text = match.lastgroup, match[match.lastgroup]
        if kind == "word" and text in OPERATORS:
            kind = text
        elif kind == "minus":
            kind = "NOT"
        found.append(Token(kind, text, match.start(match.lastgroup)))
        position = match.end()
    found.append(Token("end", "", len(query)))
    return found
