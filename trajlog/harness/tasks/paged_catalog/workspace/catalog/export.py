"""Write listings."""

import csv
import io


def to_csv(items, columns):
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for item in items:
        writer.writerow(item)
    return out.getvalue()


def to_table(items, columns):
    rows = [[str(item.get(column, "-")) for column in columns] for item in items]
    widths = [max(map(len, cells)) for cells in zip(columns, *rows)]
    return [" ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in [columns, *rows]]
