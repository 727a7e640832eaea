"""Marks in front of a line."""

MARKS = {">": "officer", "*": "corrected"}
QUOTE = "| "


def split_marks(line):
    """The set of meanings, how often the line is quoted, and what is left."""
    found, quotes = set(), 0
    while True:
        if line.startswith(QUOTE):
            quotes += 1
            line = line[len(QUOTE):]
        elif line[:1] in MARKS:
            found.add(MARKS[line[0]])
            line = line[1:]
        else:
            return found, quotes, line
