"""Amounts of a currency."""

from functools import total_ordering

from bill.currency import Currency, currency


class CurrencyMismatch(TypeError):
    def __init__(self, one, other):
        super().__init__(f"{one.code} and {other.code} do not mix")


@total_ordering
class Money:
    """A number of smallest units."""

    __slots__ = ("units", "currency")

    def __init__(self, units, code):
        self.units = units
        self.currency = code if isinstance(code, Currency) else currency(code)

    @classmethod
    def parse(cls, text):
        """`12.50 EUR`"""
        number, _, code = text.strip().partition(" ")
        unit = currency(code)
        sign = -1 if number.startswith("-") else 1
        whole, _, part = number.lstrip("-").partition(".")
        if len(part) > unit.digits or not (whole + part).isdigit():
            raise ValueError(f"no amount of {unit.code}: {number}")
        return cls(sign * int(whole + part.ljust(unit.digits, "0")), unit)

    def _same(self, other):
        if self.currency != other.currency:
            raise CurrencyMismatch(self.currency, other.currency)

    def __add__(self, other):
        self._same(other)
        return Money(self.units + other.units, self.currency)

    def __sub__(self, other):
        self._same(other)
        return Money(self.units - other.units, self.currency)

    def __neg__(self):
        return Money(-self.units, self.currency)

    def __eq__(self, other):
        if not isinstance(other, Money):
            return NotImplemented
        return (self.units, self.currency) == (other.units, other.currency)

    def __lt__(self, other):
        self._same(other)
        return self.units < other.units

    def __hash__(self):
        return hash((self.units, self.currency))

    def __str__(self):
        sign = "-" if self.units < 0 else ""
        digits = str(abs(self.units)).rjust(self.currency.digits + 1, "0")
        if not self.currency.digits:
            return f"{sign}{digits} {self.currency.code}"
        return f"{sign}{digits[:-self.currency.digits]}.{digits[-self.currency.digits:]} {self.currency.code}"

    def __repr__(self):
        return f"<{self}>"
