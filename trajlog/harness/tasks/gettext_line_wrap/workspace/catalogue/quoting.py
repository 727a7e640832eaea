"""Quoted strings as in .po files."""

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_MEANINGS = {escape[1]: char for char, escape in _ESCAPES.items()}


class CatalogueError(ValueError):
    """A line that does not belong into a catalogue."""


def escape(text):
    return "".join(_ESCAPES.get(char, char) for char in text)


def unescape(text):
    out = []
    chars = iter(text)
    for char in chars:
        if char == '"':
            raise CatalogueError(f"stray quote in {text!r}")
        if char == "\\":
            following = next(chars, "")
            char = _MEANINGS.get(following, "\\" + following)
        out.append(char)
    return "".join(out)


def unquote(line):
    if len(line) < 2 or line[0] != '"' or line[-1] != '"':
        raise CatalogueError(f"not a quoted string: {line}")
    return unescape(line[1:-1])
