"""Letters: paragraphs and lists, rendered to plain text."""

from wrap import indented, lines_of


class LetterError(ValueError):
    pass


def paragraph(text, width, bullet=""):
    room = width - len(bullet)
    if room < 1:
        raise LetterError(f"no room for text in {width} columns")
    return list(indented(lines_of(text.split(), room), bullet))


def render(text, width=40):
    """Lines that start with `* ` are list items; every other line is a paragraph."""
    out = []
    for block in text.split("\n"):
        if block.startswith("* "):
            out += paragraph(block[2:], width, "  * ")
        elif block.startswith("> "):
            out += paragraph(block[2:], width, "| ")
        else:
            out += paragraph(block, width) or [""]
    return "\n".join(out)
