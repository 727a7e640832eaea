"""Amounts are whole cents."""


def parse_cents(text):
    """`1234.5` or `1,234.50`"""
    whole, _, rest = text.replace(",", "").partition(".")
    if not whole.isdigit() or len(rest) > 2 or rest and not rest.isdigit():
        raise ValueError(f"no amount: {text!r}")
    return int(whole) * 100 + int(rest.ljust(2, "0"))


def show(cents):
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100:,}.{abs(cents) % 100:02}"


def permille(amount, rate):
    """So many tenths of a per cent, half a cent up."""
    return (2 * amount * rate + 1000) // 2000
