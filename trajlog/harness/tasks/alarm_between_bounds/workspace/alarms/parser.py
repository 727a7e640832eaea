"""Conditions: sums, comparisons, not, and, or."""

from alarms.tree import COMPARE, Between, Constant, Name, Not, Pair
from alarms.words import RuleError, tokens


class Parser:
    def __init__(self, text):
        self._tokens = tokens(text)
        self._at = 0

    @property
    def _now(self):
        return self._tokens[self._at]

    def _take(self, *kinds):
        if self._now.kind in kinds:
            self._at += 1
            return self._tokens[self._at - 1]
        return None

    def _expect(self, kind):
        token = self._take(kind)
        if token is None:
            raise RuleError(f"{kind} expected, not {self._now.text}")
        return token

    def rule(self):
        """The condition and how many seconds it has to hold."""
        condition = self._condition(self._either())
        seconds = self._expect("number").value if self._take("for") else 0
        self._expect("end")
        return condition, seconds

    def _condition(self, node):
        if node.kind != "condition":
            raise RuleError("condition expected, not a number")
        return node

    def _number(self, node):
        if node.kind != "number":
            raise RuleError("number expected, not a condition")
        return node

    def _either(self):
        node = self._both()
        while self._take("or"):
            node = Pair("or", self._condition(node), self._condition(self._both()))
        return node

    def _both(self):
        node = self._negated()
        while self._take("and"):
            node = Pair("and", self._condition(node), self._condition(self._negated()))
        return node

    def _negated(self):
        if self._take("not"):
            return Not(self._condition(self._negated()))
        return self._compared()

    def _compared(self):
        node = self._sum()
        sign = self._take(*COMPARE)
        if sign is not None:
            return Pair(sign.kind, self._number(node), self._number(self._sum()))
        if self._take("between"):
            return self._between(node)
        if self._now.kind == "not" and self._tokens[self._at + 1].kind == "between":
            self._at += 2
            return Not(self._between(node))
        return node

    def _between(self, node):
        low = self._sum()
        self._expect("and")
        high = self._both()
        return Between(self._number(node), self._number(low), self._number(high))

    def _sum(self):
        node = self._product()
        while (sign := self._take("+", "-")) is not None:
            node = Pair(sign.kind, self._number(node), self._number(self._product()))
        return node

    def _product(self):
        node = self._single()
        while self._take("*"):
            node = Pair("*", self._number(node), self._number(self._single()))
        return node

    def _single(self):
        if self._take("("):
            node = self._either()
            self._expect(")")
            return node
        if self._take("-"):
            return Pair("-", Constant(0.0), self._number(self._single()))
        token = self._take("number", "name", "true", "false")
        if token is None:
            raise RuleError(f"unexpected {self._now.text}")
        if token.kind == "name":
            return Name(token.text)
        if token.kind == "number":
            return Constant(token.value)
        return Constant(token.kind == "true", "condition")
