"""Rules: `when CONDITION do ACTION`.

CONDITION is made of `temp > 24`, `temp rises above 24`, `temp falls below 18`, `temp changes`, `not`, `and`, `or`,
brackets and `CONDITION for 3`.
"""

from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache

from building.conditions import Both, Changes, Compare, Crossing, Lasting, Not
from building.words import RuleError, Words


@dataclass
class Rule:
    condition: object
    action: str
    subject: str

    def fires(self, values):
        return self.condition.holds(values)

    def reset(self):
        self.condition.reset()


@lru_cache(maxsize=256)
def _parsed(text):
    """Rule texts repeat a lot: most rooms are run alike."""
    return Parser(text).rule()


def parse_rule(text):
    """A rule that has observed nothing yet."""
    return deepcopy(_parsed(" ".join(text.split())))


class Parser:
    def __init__(self, text):
        self._words = Words(text)

    def rule(self):
        self._words.expect("when")
        condition = self._either()
        self._words.expect("do")
        action, *subject = self._words.rest() or [None]
        if action is None:
            raise RuleError("nothing to do")
        return Rule(condition, action, " ".join(subject))

    def _either(self):
        left = self._every()
        while self._words.accept("or"):
            left = Both(left, self._every(), "or")
        return left

    def _every(self):
        left = self._lasting()
        while self._words.accept("and"):
            left = Both(left, self._lasting(), "and")
        return left

    def _lasting(self):
        part = self._single()
        if self._words.accept("for"):
            return Lasting(part, int(self._words.number()))
        return part

    def _single(self):
        if self._words.accept("not"):
            return Not(self._single())
        if self._words.accept("("):
            part = self._either()
            self._words.expect(")")
            return part
        name = self._words.take()
        if not isinstance(name, str):
            raise RuleError(f"name expected instead of {name:g}")
        if self._words.accept("changes"):
            return Changes(name)
        if self._words.accept("rises", "above"):
            return Crossing(Compare(name, ">", self._words.number()))
        if self._words.accept("falls", "below"):
            return Crossing(Compare(name, "<", self._words.number()))
        sign = self._words.take()
        if sign not in ("<", ">", "="):
            raise RuleError(f"no comparison {sign!r}")
        return Compare(name, sign, self._words.number())
