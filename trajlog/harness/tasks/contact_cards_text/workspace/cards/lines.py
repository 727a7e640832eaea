"""Content lines: folding, escapes, and values with several parts."""

WIDTH = 72


def fold(line):
    """Physical lines of at most WIDTH characters; those that continue begin with a blank."""
    yield line[:WIDTH]
    for start in range(WIDTH, len(line), WIDTH - 1):
        yield " " + line[start:start + WIDTH - 1]


def unfold(text):
    lines = []
    for line in text.split("\n"):
        line = line.removesuffix("\r")
        if line.startswith((" ", "\t")) and lines:
            lines[-1] += line[1:]
        elif line:
            lines.append(line)
    return lines


def escape(text):
    for char in "\\;,":
        text = text.replace(char, "\\" + char)
    return text.replace("\n", "\\n")


def unescape(text):
    out, chars = [], iter(text)
    for char in chars:
        if char == "\\":
            char = next(chars, "\\")
            char = "\n" if char in "nN" else char
        out.append(char)
    return "".join(out)


def join_parts(parts, separator):
    return separator.join(escape(part) for part in parts)


def split_parts(value, separator):
    """The unescaped parts of a value."""
    return unescape(value).split(separator)
