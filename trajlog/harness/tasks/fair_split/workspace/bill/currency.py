"""Currencies and their smallest units."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Currency:
    code: str
    digits: int

    @property
    def unit(self):
        """Smallest units in one."""
        return 10**self.digits


CURRENCIES = {code: Currency(code, digits) for code, digits in (("EUR", 2), ("USD", 2), ("JPY", 0), ("KWD", 3))}


def currency(code):
    try:
        return CURRENCIES[code.upper()]
    except KeyError:
        raise ValueError(f"unknown currency {code}") from None
