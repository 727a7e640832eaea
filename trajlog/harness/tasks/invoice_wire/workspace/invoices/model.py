from dataclasses import dataclass, field
from decimal import Decimal


@dataclass
class Line:
    article: str
    quantity: Decimal
    price: Decimal
    discount: Decimal = Decimal("0")

    def total(self):
        return (self.quantity * self.price - self.discount).quantize(Decimal("0.01"))


@dataclass
class Invoice:
    """`extra` holds what a partner added; we hand it on unchanged."""

    number: str
    buyer: str
    lines: list = field(default_factory=list)
    reference: str = ""
    paid: Decimal = Decimal("0")
    extra: dict = field(default_factory=dict)

    def total(self):
        return sum((line.total() for line in self.lines), Decimal("0.00"))

    def due(self):
        return self.total() - self.paid
