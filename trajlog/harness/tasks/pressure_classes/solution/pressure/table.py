"""Tables of classes with shares."""

from pressure.reading import CLASSES


def percent(part, whole):
    """Whole per cent, half up."""
    return (200 * part + whole) // (2 * whole)


def counts(diary):
    found = [0] * len(CLASSES)
    for reading in diary.readings:
        found[reading.level] += 1
    return found


def class_rows(diary):
    """Rows `(class, count, share, running share)`."""
    whole = len(diary.readings)
    if not whole:
        return []
    rows, seen, before = [], 0, 0
    for name, count in zip(CLASSES, counts(diary), strict=True):
        seen += count
        running = percent(seen, whole)
        rows.append((name, count, running - before, running))
        before = running
    return rows


def day_parts(diary):
    """Part of the day to its rows, without empty parts."""
    parts = {name: class_rows(diary.part(name)) for name in ("morning", "afternoon", "evening")}
    return {name: rows for name, rows in parts.items() if rows}


def render(diary):
    lines = [f"{name:<10}{count:>4}{share:>5} %{running:>5} %" for name, count, share, running in class_rows(diary)]
    if diary.readings:
        lines.append("mean {}/{}".format(*diary.mean()))
    return "\n".join(lines)
