"""Physical lines into logical ones."""

COMMENTS = ("#", ";")


def logical_lines(text):
    """(number of the first physical line, text). A backslash at the end goes on with the next line."""
    start, parts = 0, []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not parts and (not line or line.startswith(COMMENTS)):
            continue
        if not parts:
            start = number
        if line.endswith("\\"):
            parts.append(line[:-1].rstrip())
            continue
        parts.append(line)
        yield start, " ".join(parts)
        parts = []
    if parts:
        yield start, " ".join(parts)
