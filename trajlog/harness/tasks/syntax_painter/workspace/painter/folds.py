"""What can be folded in the editor: comments and strings over several lines."""


def folds(painter, count):
    """(first, last, kind) of runs of lines that end inside of a comment or string."""
    found, start, kind = [], None, None
    for number in range(count):
        mode = painter.mode(number)
        if start is not None and mode != kind:
            found.append((start, number, kind))
            start = None
        if start is None and mode in ("comment", "string"):
            start, kind = number, mode
    if start is not None:
        found.append((start, count - 1, kind))
    return found
