"""Elements and their weights, read from `elements.json`."""

import json
from pathlib import Path

_WEIGHTS = json.loads(Path(__file__).with_name("elements.json").read_text(encoding="utf-8"))


class UnknownElement(LookupError):
    """A symbol that is not in the table."""


def weight_of(symbol):
    try:
        return _WEIGHTS[symbol]
    except KeyError:
        raise UnknownElement(f"unknown element {symbol}") from None


def is_element(symbol):
    return symbol in _WEIGHTS
