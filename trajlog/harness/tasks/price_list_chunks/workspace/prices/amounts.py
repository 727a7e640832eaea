"""Prices as suppliers write them: `1.234,50`, `12,-`, `0,99 EUR`."""

import re
from decimal import Decimal

AMOUNT = re.compile(r"(?P<whole>\d{1,3}(?:\.\d{3})+|\d+)(?:,(?P<cents>\d{2}|-))?(?:\s*(?P<currency>[A-Z]{3}))?")
DEFAULT_CURRENCY = "EUR"


def parse_amount(text):
    """Amount and currency; ValueError if it is none."""
    match = AMOUNT.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"not a price: {text!r}")
    cents = match["cents"] if match["cents"] not in (None, "-") else "00"
    return Decimal(f"{match['whole'].replace('.', '')}.{cents}"), match["currency"] or DEFAULT_CURRENCY


def format_amount(amount):
    whole, _, cents = f"{amount:,.2f}".partition(".")
    return f"{whole.replace(',', '.')},{cents}"
