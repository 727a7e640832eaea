"""Documents without the fields nobody filled in."""

from clinic.unset import UNSET


def compact(value):
    """A copy of a document of dicts and lists, without the fields that were left open, on all levels."""
    if isinstance(value, dict):
        return {name: compact(item) for name, item in value.items() if item is not UNSET}
    if isinstance(value, list):
        return [compact(item) for item in value]
    return value


def from_day(value):
    """Dates as text; everything else as it is."""
    return value.isoformat() if hasattr(value, "isoformat") else value
