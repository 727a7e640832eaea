"""Units, by every spelling, with the factor to the base unit."""

BASE = {
    "g": ("g", 1), "gram": ("g", 1), "grams": ("g", 1), "kg": ("g", 1000),
    "l": ("ml", 1000), "litre": ("ml", 1000), "ml": ("ml", 1), "cl": ("ml", 10),
    "c": ("ml", 240), "cup": ("ml", 240), "cups": ("ml", 240),
    "t": ("ml", 5), "tsp": ("ml", 5), "tbsp": ("ml", 15),
}


def to_base(amount, unit):
    if unit is None:
        return amount, ""
    base, factor = BASE[unit]
    return amount * factor, base
