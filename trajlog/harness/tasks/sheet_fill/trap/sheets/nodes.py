"""The parts of a formula."""

import operator
from dataclasses import dataclass

from sheets.errors import FormulaError, ReferenceGone, WrongValue
from sheets.refs import Ref

OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul}


@dataclass
class Number:
    value: float

    def evaluate(self, lookup):
        return self.value

    def refs(self):
        return []

    def copy(self):
        return self

    def __str__(self):
        return f"{self.value:g}"


@dataclass
class CellRef:
    ref: Ref

    def evaluate(self, lookup):
        if min(self.ref.spot) < 0:
            raise ReferenceGone(str(self.ref))
        value = lookup(self.ref.spot)
        if isinstance(value, str):
            raise WrongValue(f"{self.ref} holds text")
        return value

    def refs(self):
        return [self.ref]

    def copy(self):
        return CellRef(Ref(*vars(self.ref).values()))

    def __str__(self):
        return str(self.ref)


@dataclass
class Binary:
    sign: str
    left: object
    right: object

    def evaluate(self, lookup):
        return OPERATORS[self.sign](self.left.evaluate(lookup), self.right.evaluate(lookup))

    def refs(self):
        return self.left.refs() + self.right.refs()

    def copy(self):
        return Binary(self.sign, self.left.copy(), self.right.copy())

    def __str__(self):
        return f"{self.left}{self.sign}{self.right}"


@dataclass
class Sum:
    first: CellRef
    last: CellRef

    def evaluate(self, lookup):
        (left, top), (right, bottom) = self.first.ref.spot, self.last.ref.spot
        if left > right or top > bottom:
            raise FormulaError(f"empty range {self}")
        spots = [(column, row) for column in range(left, right + 1) for row in range(top, bottom + 1)]
        return sum(value for value in map(lookup, spots) if not isinstance(value, str))

    def refs(self):
        return [self.first.ref, self.last.ref]

    def copy(self):
        return Sum(self.first, self.last)

    def __str__(self):
        return f"SUM({self.first}:{self.last})"
