"""Currencies and how they are written by default."""

DEFAULTS = {
    "EUR": {"decimals": 2, "separator": ",", "symbol": "EUR", "in_front": False},
    "USD": {"decimals": 2, "separator": ",", "symbol": "$", "in_front": True},
    "JPY": {"decimals": 0, "separator": ",", "symbol": "JPY", "in_front": False},
}


class UnknownCurrency(LookupError):
    """There is no such currency."""


def style_of(code, options):
    """All options of a style, with the defaults of the currency."""
    if code not in DEFAULTS:
        raise UnknownCurrency(code)
    unknown = set(options) - set(DEFAULTS[code])
    if unknown:
        raise TypeError(f"unknown option {min(unknown)!r}")
    return DEFAULTS[code] | options
