"""Takes comments out of a text."""

import re

from parts.errors import SyntaxProblem

_PIECE = re.compile(r'"(?:\\.|[^"\\\n])*"|\(\*|\*\)|.', re.DOTALL)
_MARK = re.compile(r"\(\*|\*\)|.", re.DOTALL)


def blank(text):
    """Blanks instead of a text; its line breaks stay."""
    return re.sub(r"[^\n]", " ", text)


def without_comments(text):
    """The text with blanks in place of its comments."""
    out = []
    place = 0
    while place < len(text):
        piece = _PIECE.match(text, place).group()
        if piece == "(*":
            end = _comment_end(text, place)
            out.append(blank(text[place:end]))
            place = end
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
