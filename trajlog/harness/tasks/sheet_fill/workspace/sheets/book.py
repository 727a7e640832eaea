"""Sheets by name."""

from sheets.sheet import Sheet


class Book:
    def __init__(self):
        self._sheets = {}

    def sheet(self, name):
        return self._sheets.setdefault(name, Sheet(name))

    def copy_block(self, source, first, last, target, where):
        block = self.sheet(source).block(first, last)
        self.sheet(target).paste(block, where)

    def names(self):
        return sorted(self._sheets)
