"""Nodes of conditions. `kind` is "number" or "condition"."""

import operator
from dataclasses import dataclass

COMPARE = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq,
           "is": operator.eq, "<>": operator.ne}
COMPUTE = {"+": operator.add, "-": operator.sub, "*": operator.mul}


@dataclass(frozen=True)
class Constant:
    value: object
    kind: str = "number"

    def compute(self, values):
        return self.value

    def names(self):
        return set()


@dataclass(frozen=True)
class Name:
    name: str
    kind = "number"

    def compute(self, values):
        if self.name not in values:
            raise LookupError(f"no value for {self.name}")
        return values[self.name]

    def names(self):
        return {self.name}


@dataclass(frozen=True)
class Pair:
    """Arithmetic, a comparison, or `and` and `or`, which need their right side only sometimes."""

    sign: str
    left: object
    right: object

    @property
    def kind(self):
        return "number" if self.sign in COMPUTE else "condition"

    def compute(self, values):
        left = self.left.compute(values)
        if self.sign == "and":
            return left and self.right.compute(values)
        if self.sign == "or":
            return left or self.right.compute(values)
        return (COMPUTE.get(self.sign) or COMPARE[self.sign])(left, self.right.compute(values))

    def names(self):
        return self.left.names() | self.right.names()


@dataclass(frozen=True)
class Not:
    inner: object
    kind = "condition"

    def compute(self, values):
        return not self.inner.compute(values)

    def names(self):
        return self.inner.names()


@dataclass(frozen=True)
class Between:
    inner: object
    low: object
    high: object
    kind = "condition"

    def compute(self, values):
        return self.low.compute(values) <= self.inner.compute(values) <= self.high.compute(values)

    def names(self):
        return self.inner.names() | self.low.names() | self.high.names()
