"""Tokens into nodes."""

from dice.lexer import DiceError, tokenize
from dice.nodes import Dice, Number, Product, Sum

MAX_DICE = 100


class Parser:
    def __init__(self, text):
        self._tokens = tokenize(text)
        self._index = 0

    @property
    def _now(self):
        return self._tokens[self._index]

    def _accept(self, *texts):
        token = self._now
        if token.text not in texts or token.kind == "end":
            return None
        self._index += 1
        return token

    def _unexpected(self):
        token = self._now
        message = f"unexpected {token.text!r}" if token.text else "roll is not complete"
        return DiceError(message, token.start)

    def parse(self):
        node = self._sum()
        if self._now.kind != "end":
            raise self._unexpected()
        return node

    def _sum(self):
        parts = [(1, self._product())]
        while sign := self._accept("+", "-"):
            parts.append((1 if sign.text == "+" else -1, self._product()))
        return parts[0][1] if len(parts) == 1 else Sum(tuple(parts))

    def _product(self):
        factors = [self._factor()]
        while self._accept("*"):
            factors.append(self._factor())
        return factors[0] if len(factors) == 1 else Product(tuple(factors))

    def _factor(self):
        first = self._now
        if self._accept("("):
            node = self._sum()
            if not self._accept(")"):
                raise self._unexpected()
            return node
        count = 1
        if first.kind == "number":
            self._index += 1
            count = int(first.text)
        if not self._accept("d"):
            if first.kind != "number":
                raise self._unexpected()
            return Number(count)
        if not 1 <= count <= MAX_DICE:
            raise DiceError(f"cannot throw {count} dice", first.start)
        return self._dice(count, first.start)

    def _number(self):
        if self._now.kind != "number":
            raise self._unexpected()
        self._index += 1
        return int(self._tokens[self._index - 1].text)

    def _dice(self, count, start):
        sides_at = self._now.start
        sides = 100 if self._accept("%") else self._number()
        if sides < 2:
            raise DiceError(f"no dice with {sides} sides", sides_at)
        keep, keep_high = 0, True
        if word := self._accept("kh", "kl"):
            keep_high = word.text == "kh"
            keep = self._number() if self._now.kind == "number" else 1
            if not 1 <= keep <= count:
                raise DiceError(f"cannot keep {keep} of {count}", word.start)
        explodes = self._accept("!") is not None
        end = self._tokens[self._index - 1].end
        return Dice(count, sides, start, end, keep, keep_high, explodes)


def parse(text):
    return Parser(text).parse()
