"""Text with quoted parts."""

import re

QUOTED = r'"(?:[^"\\]|\\.)*"' + r"|'(?:[^'\\]|\\.)*'"
PIECES = re.compile(rf"(?P<quoted>{QUOTED})|(?P<char>.)", re.DOTALL)


def split_outside(text, separator):
    """Split at a character, but not inside of quotes."""
    parts = [""]
    for match in PIECES.finditer(text):
        if match["char"] == separator:
            parts.append("")
        else:
            parts[-1] += match[0]
    return [part.strip() for part in parts]


def is_quoted(text):
    return re.fullmatch(QUOTED, text, re.DOTALL) is not None


def unquote(text):
    return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL)
