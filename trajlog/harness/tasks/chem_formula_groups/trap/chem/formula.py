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
            _multiply(counts, self._units(counts), times)
            token = self._take()
            if token.kind == "end":
                return counts
            if token.kind != "dot":
                raise FormulaError(f"unexpected {token.text!r}", token.position)

    def _units(self, counts):
        """Add the units to the counts; returns their symbols."""
        seen = set()
        start = self._next
        while self._next.kind in ("element", "open"):
            seen |= self._unit(counts)
        if not seen:
            raise FormulaError("an element is missing", start.position)
        return seen

    def _unit(self, counts):
        token = self._take()
        if token.kind == "element":
            if not is_element(token.text):
                raise FormulaError(f"no element {token.text}", token.position)
            counts[token.text] += self._number()
            return {token.text}
        inner = Counter()
        seen = self._units(inner)
        closing = self._take()
        if closing.text != CLOSING[token.text]:
            raise FormulaError(f"{CLOSING[token.text]!r} is missing", closing.position)
        _multiply(inner, seen, self._number())
        counts.update(inner)
        return seen


def _multiply(counts, symbols, times):
    """A part comes so many times."""
    for symbol in symbols:
        counts[symbol] *= times


def parse(text):
    """Counter of the atoms, in the order in which the elements appear."""
    return _Parser(text.strip()).formula()
