"""Formulas to atom counts."""

from collections import Counter

from chem.elements import is_element
from chem.scanner import FormulaError, tokens

CLOSING = {"(": ")", "[": "]"}


class _Parser:
    """formula = part ("." part)*;  part = [number] unit+;  unit = (element | "(" unit+ ")") [number]"""

    def __init__(self, text):
        self._tokens = list(tokens(text))
        self._place = 0

    @property
    def _next(self):
        return self._tokens[self._place]

    def _take(self):
        token = self._next
        self._place += 1
        return token

    def _number(self):
        return int(self._take().text) if self._next.kind == "number" else 1

    def formula(self):
        counts = Counter()
        while True:
            times = self._number()
            _add(counts, self._units(), times)
            token = self._take()
            if token.kind == "end":
                return counts
            if token.kind != "dot":
                raise FormulaError(f"unexpected {token.text!r}", token.position)

    def _units(self):
        counts = Counter()
        start = self._next
        while self._next.kind in ("element", "open"):
            inner = self._unit()
            _add(counts, inner, self._number())
        if not counts:
            raise FormulaError("an element is missing", start.position)
        return counts

    def _unit(self):
        token = self._take()
        if token.kind == "element":
            if not is_element(token.text):
                raise FormulaError(f"no element {token.text}", token.position)
            return Counter({token.text: 1})
        inner = self._units()
        closing = self._take()
        if closing.text != CLOSING[token.text]:
            raise FormulaError(f"{CLOSING[token.text]!r} is missing", closing.position)
        return inner


def _add(counts, inner, times):
    """Add the atoms of a part, so many times."""
    for symbol, count in inner.items():
        counts[symbol] += count * times


def parse(text):
    """Counter of the atoms, in the order in which the elements appear."""
    return _Parser(text.strip()).formula()
