"""Amounts of money as text."""

from currencies import style_of

_formatters = {}


class Formatter:
    def __init__(self, decimals, separator, symbol, in_front):
        self._decimals = decimals
        self._separator = separator
        self._symbol = symbol
        self._in_front = in_front

    def format(self, amount):
        """An amount in units of money, rounded to the decimals of the style."""
        digits = f"{abs(amount):,.{self._decimals}f}".replace(",", self._separator)
        sign = "-" if amount < 0 else ""
        if self._in_front:
            return f"{sign}{self._symbol}{digits}"
        return f"{sign}{digits} {self._symbol}"


def formatter(code, **options):
    style = style_of(code, options)
    key = code, *sorted(options.items())
    if key not in _formatters:
        _formatters[key] = Formatter(**style)
    return _formatters[key]


def formatters_made():
    return len(_formatters)


def money(amount, code, **options):
    return formatter(code, **options).format(amount)


def column(amounts, code, **options):
    """Amounts below each other, set to the right."""
    texts = [money(amount, code, **options) for amount in amounts]
    width = max(map(len, texts), default=0)
    return [text.rjust(width) for text in texts]
