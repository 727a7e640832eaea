"""Cell names such as B7 or $B$7."""

import re
from dataclasses import dataclass

from sheets.errors import FormulaError

NAME = re.compile(r"(\$?)([A-Z])(\$?)([1-9][0-9]*)")


@dataclass
class Ref:
    column: int
    row: int
    fixed_column: bool = False
    fixed_row: bool = False

    @classmethod
    def parse(cls, text):
        match = NAME.fullmatch(text)
        if match is None:
            raise FormulaError(f"not a cell: {text}")
        fixed_column, letter, fixed_row, digits = match.groups()
        return cls(ord(letter) - ord("A"), int(digits) - 1, bool(fixed_column), bool(fixed_row))

    @property
    def spot(self):
        return self.column, self.row

    def move(self, columns, rows):
        if not self.fixed_column:
            self.column += columns
        if not self.fixed_row:
            self.row += rows

    def make_room(self, row):
        if self.row >= row:
            self.row += 1

    def __str__(self):
        if self.column < 0 or self.row < 0:
            return "#REF"
        column = chr(ord("A") + self.column)
        return f"{'$' * self.fixed_column}{column}{'$' * self.fixed_row}{self.row + 1}"
