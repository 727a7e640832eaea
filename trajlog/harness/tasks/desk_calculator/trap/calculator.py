"""A desk calculator with variables."""

import operator
from fractions import Fraction

from lexer import FormulaError, tokens

LEFT, RIGHT = 0, 1
SIGN_RANK = 3
OPERATORS = {
    "+": (1, LEFT, operator.add),
    "-": (1, LEFT, operator.sub),
    "*": (2, LEFT, operator.mul),
    "/": (2, LEFT, operator.truediv),
    "%": (2, LEFT, operator.mod),
    "^": (4, RIGHT, operator.pow),
}


class Calculator:
    def __init__(self):
        self.variables = {}

    def enter(self, line):
        """The result of a formula as text; `name = formula` keeps it as well."""
        self._tokens = list(tokens(line))
        name = None
        if len(self._tokens) > 2 and self._tokens[0][0] == "name" and self._tokens[1][1] == "=":
            name = self._tokens[0][1]
            del self._tokens[:2]
        value = self._formula(0)
        if self._tokens[0][0] != "end":
            raise FormulaError(f"unexpected {self._tokens[0][1]!r}")
        if name:
            self.variables[name] = value
        return str(value)

    def _formula(self, rank):
        value = self._operand()
        while self._tokens[0][1] in OPERATORS:
            own_rank, _, function = OPERATORS[self._tokens[0][1]]
            if own_rank <= rank:
                break
            self._tokens.pop(0)
            try:
                value = Fraction(function(value, self._formula(own_rank)))
            except ZeroDivisionError:
                raise FormulaError("division by zero") from None
        return value

    def _operand(self):
        kind, text = self._tokens.pop(0)
        if kind == "number":
            return Fraction(text)
        if kind == "name":
            if text not in self.variables:
                raise FormulaError(f"{text} is not known")
            return self.variables[text]
        if text == "-":
            return -self._formula(SIGN_RANK)
        if text == "(":
            value = self._formula(0)
            if self._tokens.pop(0)[1] != ")":
                raise FormulaError("bracket is not closed")
            return value
        raise FormulaError(f"unexpected {text!r}" if text else "formula is not complete")
