"""Documents without the fields nobody filled in."""

from clinic.unset import UNSET


def compact(value):
    """A copy of a document of dicts and lists, without the fields that were left open, on all levels."""
    if isinstance(value, dict):
        items = ((name, compact(item)) for name, item in value.items())
        return {name: item for name, item in items if item is not None}
    if isinstance(value, list):
        return [compact(item) for item in value]
    return None if value is UNSET else value


def from_day(value):
    """Dates as text; everything else as it is."""
    return value.isoformat() if hasattr(value, "isoformat") else value
