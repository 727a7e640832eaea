"""`key=value` words in messages; values with blanks stand in double quotes."""

import re

FIELD = re.compile(r'(?:^|(?<=\s))([A-Za-z_][\w.]*)=("(?:[^"\\]|\\.)*"|\S*)')


def _value(text):
    if text.startswith('"'):
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    try:
        return int(text)
    except ValueError:
        return text


def find_fields(message):
    return {name: _value(text) for name, text in FIELD.findall(message)}


def without_fields(message):
    return " ".join(FIELD.sub("", message).split())
