"""All items at one moment, kept as a table with `;` between the cells."""

import csv
import io

from stock.cells import CellError, from_cell, to_cell
from stock.item import FIELD_NAMES, Item


class SnapshotError(ValueError):
    """A table that is no snapshot."""


class Table(csv.Dialect):
    delimiter = ";"
    quotechar = '"'
    doublequote = True
    lineterminator = "\n"
    quoting = csv.QUOTE_MINIMAL
    skipinitialspace = False


class Snapshot:
    def __init__(self, taken_at, items=()):
        self.taken_at = taken_at
        self._items = {item.sku: item for item in items}

    def __len__(self):
        return len(self._items)

    def __iter__(self):
        return iter(sorted(self._items.values(), key=lambda item: item.sku))

    def get(self, sku):
        return self._items.get(sku)

    def add(self, item):
        if item.sku in self._items:
            raise SnapshotError(f"{item.sku} is there already")
        self._items[item.sku] = item

    def to_count(self):
        """What nobody has counted yet."""
        return [item.sku for item in self if item.counted is None]

    def dumps(self):
        out = io.StringIO()
        writer = csv.writer(out, Table)
        writer.writerow(["snapshot", self.taken_at])
        writer.writerow(FIELD_NAMES)
        for item in self:
            writer.writerow(to_cell(getattr(item, name)) for name in FIELD_NAMES)
        return out.getvalue()

    @classmethod
    def loads(cls, text):
        rows = csv.reader(io.StringIO(text, newline=""), Table)
        head = next(rows, [])
        if len(head) != 2 or head[0] != "snapshot":
            raise SnapshotError("not a snapshot")
        columns = next(rows, [])
        unknown = set(columns) - set(FIELD_NAMES)
        if unknown or "sku" not in columns:
            raise SnapshotError(f"columns do not fit: {sorted(unknown) or 'no sku'}")
        snapshot = cls(head[1])
        for row in rows:
            try:
                cells = zip(columns, row, strict=True)
                snapshot.add(Item(**{column: from_cell(column, cell) for column, cell in cells}))
            except (CellError, ValueError) as error:
                raise SnapshotError(f"line {rows.line_num}: {error}") from error
        return snapshot
