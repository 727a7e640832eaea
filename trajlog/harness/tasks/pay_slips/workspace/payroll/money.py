"""Amounts in cents."""

class PayError(ValueError):
    """Something in the input cannot be paid."""


def cents(text):
    """`19.99` -> 1999"""
    try:
        return int(float(text) * 100)
    except ValueError:
        raise PayError(f"no amount: {text!r}") from None


def part(amount, share, whole):
    """`amount * share / whole`, half up; for amounts from 0."""
    return (2 * amount * share + whole) // (2 * whole)


def show(amount):
    sign = "-" if amount < 0 else ""
    euros, rest = divmod(abs(amount), 100)
    return f"{sign}{euros}.{rest:02d}"
