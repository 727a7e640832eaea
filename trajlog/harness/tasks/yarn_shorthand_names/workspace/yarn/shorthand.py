"""Rows in shorthand, read into a tree.

    row = item*;  item = stitch [number] | "[" row "]" "x" number | "*" row ";" "to" ("end" | "last" number)
"""

import re
from dataclasses import dataclass


class RowError(ValueError):
    """A row that cannot be read or knitted."""


@dataclass(frozen=True)
class Times:
    """A stitch or a tuple of items, so many times."""

    what: object
    number: int


@dataclass(frozen=True)
class ToLast:
    """Items until so many stitches of the row below are left."""

    items: tuple
    left: int


class RowReader:
    def __init__(self, stitches):
        self._stitches = stitches
        self._name = re.compile(rf"({stitches.expression()})(\d*)")
        self._times = re.compile(r"\]\s*x\s*(\d+)")
        self._until = re.compile(r";\s*to\s+(?:end|last\s+(\d+))\b")
        self._blank = re.compile(r"[\s,]*")
        self._text = ""
        self._place = 0

    def read(self, text):
        self._text, self._place = text, 0
        items = self._items()
        if self._place < len(text):
            self._fail()
        return items

    def _take(self, expression):
        match = expression.match(self._text, self._place)
        if match is not None:
            self._place = match.end()
        return match

    def _fail(self):
        word = re.match(r"\S[a-z0-9]*", self._text[self._place :])
        raise RowError(f"unexpected {word.group() if word else 'end'!r}")

    def _items(self):
        items = []
        while True:
            self._take(self._blank)
            sign = self._text[self._place : self._place + 1]
            if sign == "[":
                self._place += 1
                inner = self._items()
                match = self._take(self._times) or self._fail()
                items.append(Times(inner, int(match.group(1))))
            elif sign == "*":
                self._place += 1
                inner = self._items()
                match = self._take(self._until) or self._fail()
                items.append(ToLast(inner, int(match.group(1) or 0)))
            elif match := self._take(self._name):
                items.append(Times(self._stitches[match.group(1)], int(match.group(2) or 1)))
            else:
                return tuple(items)
