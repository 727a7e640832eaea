"""Arithmetic of worksheets: numbers, names, + - * /, brackets, and min, max and mean of a list of values."""

import re

TOKEN = re.compile(r"\s*(?:(\d+\.?\d*)|([A-Za-z_]\w*)|([-+*/(),]))")

FUNCTIONS = {
    "min": min,
    "max": max,
    "mean": lambda *values: sum(values) / len(values),
}


class ExpressionError(ValueError):
    """Text that is no expression, or a name that has no value."""


def tokenize(text):
    tokens, position = [], 0
    text = text.rstrip()
    while position < len(text):
        match = TOKEN.match(text, position)
        if match is None:
            raise ExpressionError(f"cannot read {text[position:].strip()!r}")
        position = match.end()
        number, name, sign = match.groups()
        tokens.append(("number", float(number)) if number else ("name", name) if name else ("sign", sign))
    return tokens


class Evaluator:
    def __init__(self, text, values):
        self._tokens = tokenize(text)
        self._values = values

    def evaluate(self):
        result = self._sum()
        if self._tokens:
            raise ExpressionError(f"{self._tokens[0][1]!r} is too much")
        return result

    def _accept(self, *signs):
        if self._tokens and self._tokens[0][0] == "sign" and self._tokens[0][1] in signs:
            return self._tokens.pop(0)[1]
        return None

    def _sum(self):
        result = self._product()
        while sign := self._accept("+", "-"):
            other = self._product()
            result = result + other if sign == "+" else result - other
        return result

    def _product(self):
        result = self._atom()
        while sign := self._accept("*", "/"):
            other = self._atom()
            if sign == "/" and other == 0:
                raise ExpressionError("division by zero")
            result = result * other if sign == "*" else result / other
        return result

    def _atom(self):
        if self._accept("-"):
            return -self._atom()
        if self._accept("("):
            result = self._sum()
            self._expect(")")
            return result
        if not self._tokens or self._tokens[0][0] == "sign":
            raise ExpressionError("a value is missing")
        kind, value = self._tokens.pop(0)
        if kind == "number":
            return value
        if value in FUNCTIONS and self._accept("("):
            arguments = [self._sum()]
            while self._accept(","):
                arguments.append(self._sum())
            self._expect(")")
            return FUNCTIONS[value](*arguments)
        if value not in self._values:
            raise ExpressionError(f"{value} is not defined")
        return self._values[value]

    def _expect(self, sign):
        if not self._accept(sign):
            raise ExpressionError(f"{sign!r} is missing")


def evaluate(text, values):
    return Evaluator(text, values).evaluate()
