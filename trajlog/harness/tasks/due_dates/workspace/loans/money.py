"""Amounts in cents."""


def divide(amount, by):
    """Rounded half up, for amounts from 0."""
    return (2 * amount + by) // (2 * by)


def show(cents):
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"
