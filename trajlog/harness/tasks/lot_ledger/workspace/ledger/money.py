"""Amounts in cents."""


def cents(text):
    """`12.5` -> 1250"""
    sign = -1 if text.startswith("-") else 1
    whole, _, part = text.lstrip("-").partition(".")
    return sign * (int(whole or 0) * 100 + int((part + "00")[:2]))


def show(amount):
    sign = "-" if amount < 0 else ""
    return f"{sign}{abs(amount) // 100}.{abs(amount) % 100:02d}"
