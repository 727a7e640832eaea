"""Invoices as JSON. Decimals are written as strings."""

import json
from decimal import Decimal, InvalidOperation

from invoices.model import Invoice, Line

VERSION = 2


class WireError(ValueError):
    """A document that is no invoice."""


def _encode(value):
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, (Invoice, Line)):
        return vars(value)
    raise TypeError(f"cannot send a {type(value).__name__}")


def dumps(invoice):
    return json.dumps({"version": VERSION, "invoice": invoice}, default=_encode, ensure_ascii=False)


def _decode(fields):
    """Called for every JSON object."""
    return {name: _decimal(value) for name, value in fields.items()}


def _decimal(value):
    if not isinstance(value, str):
        return value
    try:
        return Decimal(value)
    except InvalidOperation:
        return value


def _check_amounts(fields, names):
    for name in names:
        if name in fields and not isinstance(fields[name], Decimal):
            raise WireError(f"{name} is no amount: {fields[name]!r}")
    return fields


def loads(text):
    document = json.loads(text, object_hook=_decode)
    if document.get("version") != VERSION:
        raise WireError(f"version {document.get('version')!r} is not supported")
    fields = _check_amounts(document["invoice"], ("paid",))
    try:
        lines = [Line(**_check_amounts(line, ("quantity", "price", "discount"))) for line in fields.pop("lines")]
        return Invoice(lines=lines, **fields)
    except (KeyError, TypeError) as error:
        raise WireError(f"fields do not fit: {error}") from error
