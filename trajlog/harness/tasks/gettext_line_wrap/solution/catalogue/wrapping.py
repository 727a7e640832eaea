"""Long messages over several quoted lines."""

from catalogue.quoting import escape

WIDTH = 60


def pieces(text, width=WIDTH):
    """Escaped pieces of at most `width` characters; after a line break a new piece starts."""
    for line in text.splitlines(keepends=True) if "\n" in text else [text]:
        piece = ""
        for part in map(escape, line):
            if len(piece) + len(part) > width:
                yield piece
                piece = ""
            piece += part
        yield piece


def quoted_lines(keyword, text):
    """The lines of a file for `keyword`; short messages stand right behind it."""
    found = list(pieces(text))
    if len(found) == 1 and len(found[0]) + len(keyword) + 1 <= WIDTH:
        return [f'{keyword} "{found[0]}"']
    return [f'{keyword} ""', *(f'"{piece}"' for piece in found)]
