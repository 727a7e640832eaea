"""Single values as text in a table."""

from datetime import date
from decimal import Decimal, InvalidOperation

NOT_SET = "\\N"


class CellError(ValueError):
    """A cell that does not fit its column."""


def _yes_no(text):
    if text not in ("yes", "no"):
        raise CellError(f"neither yes nor no: {text!r}")
    return text == "yes"


def _text(text):
    return text[1:] if text.startswith("\\") else text


READERS = {
    "sku": _text,
    "name": _text,
    "counted": int,
    "price": Decimal,
    "is_cooled": _yes_no,
    "best_before": date.fromisoformat,
    "note": _text,
}


def to_cell(value):
    """The text of a value; texts that begin with a backslash get another one."""
    if not value and not isinstance(value, (int, bool)):
        return NOT_SET
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return "\\" + value if value.startswith("\\") else value
    return str(value)


def from_cell(column, text):
    if text == NOT_SET:
        return None
    try:
        return READERS[column](text)
    except (ValueError, InvalidOperation) as error:
        raise CellError(f"{column}: {error or text}") from error
