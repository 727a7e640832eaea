"""Tokens of result texts."""

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
      (?P<round>[A-Z][A-Z0-9]*:)
    | (?P<seed>\[\d+\])
    | (?P<set>\d+-\d+)
    | (?P<tiebreak>\(\d+\))
    | (?P<beat>d\.)
    | (?P<ending>ret\.|w/o)
    | (?P<name>[^\W\d_][\w'-]*)
    | (?P<end>[;\n])
    | (?P<space>[ \t]+)
    | (?P<bad>\S)
    """,
    re.VERBOSE,
)


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    line: int
    column: int


def tokens(text):
    """All tokens but blanks; the last one is an end."""
    line, line_start = 1, 0
    for match in _TOKEN.finditer(text):
        token = Token(match.lastgroup, match.group(), line, match.start() - line_start + 1)
        if token.kind != "space":
            yield token
        if token.text == "\n":
            line, line_start = line + 1, match.end()
    yield Token("end", "", line, len(text) - line_start + 1)
