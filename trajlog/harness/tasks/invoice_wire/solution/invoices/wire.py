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


def _amount(fields, name):
    try:
        return Decimal(fields[name])
    except (InvalidOperation, TypeError) as error:
        raise WireError(f"{name} is no amount: {fields[name]!r}") from error


def _with_amounts(fields, names):
    return {**fields, **{name: _amount(fields, name) for name in names if name in fields}}


def loads(text):
    document = json.loads(text)
    if document.get("version") != VERSION:
        raise WireError(f"version {document.get('version')!r} is not supported")
    fields = _with_amounts(document["invoice"], ("paid",))
    try:
        lines = [Line(**_with_amounts(line, ("quantity", "price", "discount"))) for line in fields.pop("lines")]
        return Invoice(lines=lines, **fields)
    except (KeyError, TypeError) as error:
        raise WireError(f"fields do not fit: {error}") from error
