"""Takes comments out of a text."""

import re

from parts.errors import SyntaxProblem

_MARK = re.compile(r"\(\*|\*\)|.", re.DOTALL)


def without_comments(text):
    """The text without its comments."""
    out = []
    place = 0
    while place < len(text):
        piece = _MARK.match(text, place).group()
        if piece == "(*":
            place = _comment_end(text, place)
            out.append(" ")
            continue
        out.append(piece)
        place += len(piece)
    return "".join(out)


def _comment_end(text, start):
    """Where the comment that begins at `start` ends, those inside included."""
    depth = 0
    for match in _MARK.finditer(text, start):
        if match.group() == "(*":
            depth += 1
        elif match.group() == "*)":
            depth -= 1
            if not depth:
                return match.end()
    raise SyntaxProblem("unclosed comment", text.count("\n", 0, start) + 1)
