"""Books as JSON text.

Whatever JSON has no form for is written as an object with the name of its type: {"is": "date", "value": "2024-05-01"}.
"""

import json
from datetime import date
from decimal import Decimal

from bakery.model import Book, Line, Order, Slot, Standing

TYPE = "is"

ENCODERS = {
    date: lambda value: value.isoformat(),
    Decimal: str,
    Slot: lambda value: value.name,
    Line: lambda value: list(value),
    Standing: lambda value: [value.customer, value.slot, list(value.week.items())],
    Order: lambda value: [value.customer, value.day, value.slot, value.lines, value.note],
    Book: lambda value: [value.orders, value.standing],
}

DECODERS = {
    "date": date.fromisoformat,
    "Decimal": Decimal,
    "Slot": lambda value: Slot[value],
    "Line": lambda value: Line(*value),
    "Standing": lambda value: Standing(value[0], value[1], {day: lines for day, lines in value[2]}),
    "Order": lambda value: Order(*value),
    "Book": lambda value: Book(*value),
}


class FileError(ValueError):
    """Text that is no book."""


def encode(value):
    """The object that stands in the file for a value."""
    encoder = ENCODERS.get(type(value))
    if encoder is None:
        raise TypeError(f"no form for a {type(value).__name__}")
    return {TYPE: type(value).__name__, "value": encoder(value)}


def decode(fields):
    if TYPE not in fields:
        return fields
    try:
        return DECODERS[fields[TYPE]](fields["value"])
    except KeyError as error:
        raise FileError(f"unknown {error.args[0]!r}") from None


def dumps(value):
    return json.dumps(value, default=encode, indent=1)


def loads(text):
    try:
        return json.loads(text, object_hook=decode)
    except json.JSONDecodeError as error:
        raise FileError(str(error)) from None
