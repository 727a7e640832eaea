"""Fill words into lines."""


def lines_of(words, width):
    """Yield lines of at most `width` characters; a longer word gets a line of its own."""
    words = iter(words)
    try:
        line = next(words)
    except StopIteration:
        return
    for word in words:
        if len(line) + 1 + len(word) > width:
            yield line
            line = word
        else:
            line += " " + word
    yield line


def indented(lines, bullet=""):
    """Put `bullet` before the first line and as much space before the others."""
    lead = bullet
    for line in lines:
        yield (lead + line).rstrip()
        lead = " " * len(bullet)
