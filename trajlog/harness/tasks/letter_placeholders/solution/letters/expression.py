"""What stands in a placeholder: a path and filters."""

import re

from letters.errors import TemplateError
from letters.filters import FILTERS
from letters.quotes import is_quoted, split_outside, unquote

PATH = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*")


def look_up(data, path):
    """Follow a path through dicts, lists and attributes; None where it ends early."""
    value = data
    for name in path.split("."):
        if isinstance(value, dict):
            value = value.get(name)
        elif isinstance(value, (list, tuple)) and name.isdigit():
            value = value[int(name)] if int(name) < len(value) else None
        else:
            value = getattr(value, name, None)
    return value


class Argument:
    """A quoted text, a number or a path."""

    def __init__(self, source, line):
        self._is_path = False
        if is_quoted(source):
            self._value = unquote(source)
        elif re.fullmatch(r"-?\d+", source):
            self._value = int(source)
        elif PATH.fullmatch(source):
            self._value, self._is_path = source, True
        else:
            raise TemplateError(line, f"bad argument {source!r}")

    def value(self, data):
        return look_up(data, self._value) if self._is_path else self._value


class Expression:
    def __init__(self, source, line):
        self.line = line
        head, *filters = split_outside(source, "|")
        self._head = Argument(head, line)
        self._filters = [self._filter(text) for text in filters]

    def _filter(self, text):
        name, colon, rest = (part.strip() for part in text.partition(":"))
        if name not in FILTERS:
            raise TemplateError(self.line, f"unknown filter {name!r}")
        sources = split_outside(rest, ",") if colon else []
        return FILTERS[name], [Argument(source, self.line) for source in sources]

    def value(self, data):
        value = self._head.value(data)
        for function, arguments in self._filters:
            try:
                value = function(value, *(argument.value(data) for argument in arguments))
            except (TypeError, ValueError) as error:
                raise TemplateError(self.line, str(error)) from error
        return value
