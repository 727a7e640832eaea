"""Amounts in cents."""

from fractions import Fraction


def parse_amount(text):
    """`1,234.50` in cents."""
    return int(Fraction(text.replace(",", "")) * 100)


def rounded(value):
    """Whole cents, half a cent away from zero."""
    cents = int(abs(value) + Fraction(1, 2))
    return cents if value >= 0 else -cents


def show(cents):
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100:,}.{abs(cents) % 100:02}"
