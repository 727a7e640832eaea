"""Tokens of parts lists."""

import re
from dataclasses import dataclass

from parts.comments import without_comments
from parts.errors import SyntaxProblem

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r]+)|(?P<line>\n)|(?P<text>"(?:\\.|[^"\\\n])*")|(?P<number>\d[\d_']*(?:\.\d+)?)"""
    r"""|(?P<word>[A-Za-z][\w-]*)|(?P<sign>[{}=;@x*])|(?P<bad>.)"""
)


@dataclass(frozen=True)
class Token:
    kind: str
    value: object
    line: int


def tokens(source):
    line = 1
    for match in _TOKEN.finditer(without_comments(source)):
        kind, text = match.lastgroup, match.group()
        if kind == "line":
            line += 1
        elif kind == "text":
            yield Token(kind, re.sub(r"\\(.)", r"\1", text[1:-1]), line)
        elif kind == "number":
            plain = text.replace("_", "").replace("'", "")
            yield Token(kind, float(plain) if "." in plain else int(plain), line)
        elif kind == "bad":
            raise SyntaxProblem(f"unexpected {text!r}", line)
        elif kind != "space":
            yield Token("sign" if text in "{}=;@x*" else kind, text, line)
    yield Token("end", "", line)
