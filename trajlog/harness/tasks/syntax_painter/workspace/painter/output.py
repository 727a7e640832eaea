"""Painted text for the screen and for web pages."""

import html

COLOURS = {"keyword": "blue", "constant": "teal", "type": "green", "comment": "grey", "string": "red", "hole": "orange"}


def to_html(painter, number):
    """A line with spans for what has a colour."""
    parts = []
    for kind, text in painter.tokens(number):
        text = html.escape(text, quote=False)
        parts.append(f'<i class="{COLOURS[kind]}">{text}</i>' if kind in COLOURS else text)
    return "".join(parts)


def letters(painter, number):
    """One letter for the kind of each character: handy in a terminal."""
    return "".join(
        (" " if kind == "space" else kind[0] if kind in COLOURS or kind == "number" else "-") * len(text)
        for kind, text in painter.tokens(number)
    )


def page(painter, count):
    return "\n".join(f"{number:>3} {to_html(painter, number)}" for number in range(count))
