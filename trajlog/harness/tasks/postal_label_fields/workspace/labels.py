"""What a label says."""

from dataclasses import dataclass, field


@dataclass
class Label:
    zone: int
    postcode: str
    grams: int
    express: bool = False
    extras: dict = field(default_factory=dict)

    def text(self):
        parts = [f"{self.postcode} zone {self.zone} {self.grams} g"]
        if self.express:
            parts.append("express")
        parts += [f"{name} {value}" for name, value in sorted(self.extras.items())]
        return ", ".join(parts)


def cents(label):
    """The postage: by weight, then what the extras cost."""
    price = 180 if label.grams <= 500 else 360 if label.grams <= 2000 else 720
    if label.express:
        price *= 2
    price += label.extras.get("insured", 0) // 100
    return price + (150 if "signature" in label.extras else 0)
