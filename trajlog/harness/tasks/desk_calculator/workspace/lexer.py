"""Splits a formula into numbers, names and signs."""

import re

TOKEN = re.compile(r"\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<name>[a-z]\w*)|(?P<sign>[-+*/%^()=]))")


class FormulaError(ValueError):
    """A formula that cannot be understood."""


def tokens(text):
    text = text.rstrip()
    position = 0
    while position < len(text):
        match = TOKEN.match(text, position)
        if match is None:
            raise FormulaError(f"unexpected {text[position:].lstrip()[0]!r}")
        yield match.lastgroup, match[match.lastgroup]
        position = match.end()
    yield "end", ""
