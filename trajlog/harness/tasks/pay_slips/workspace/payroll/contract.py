"""Contracts: one `key: value` a line."""

from dataclasses import dataclass, field

from payroll.money import PayError, cents


@dataclass
class Contract:
    name: str
    rate: int
    extras: dict = field(default_factory=dict)  # paid on top, or taken off if negative


def read_contract(text):
    name = rate = None
    extras = {}
    for line in text.strip().splitlines():
        key, colon, value = line.partition(":")
        if not colon:
            raise PayError(f"no contract line: {line!r}")
        key = key.strip().lower()
        if key == "name":
            name = value.strip()
        elif key == "rate":
            rate = cents(value)
        else:
            extras[key] = cents(value)
    if not name or rate is None or rate <= 0:
        raise PayError("a contract needs a name and a rate")
    return Contract(name, rate, extras)
