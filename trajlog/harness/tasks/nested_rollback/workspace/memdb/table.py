"""Rows with numbers for keys, and columns that are unique."""

from memdb.errors import DatabaseError, NoRow, NotUnique
from memdb.journal import MISSING


class Table:
    def __init__(self, name, columns, unique, journal):
        self.name = name
        self.columns = tuple(columns)
        self._rows = {}
        self._indexes = {column: {} for column in unique}
        self._journal = journal
        self._last = 0

    def __len__(self):
        return len(self._rows)

    def insert(self, **values):
        row = dict.fromkeys(self.columns) | self._checked(values)
        self._last += 1
        self._ensure_unique(self._last, row)
        self._journal.remember(self, self._last, MISSING)
        self.put_in(self._last, row)
        return self._last

    def update(self, key, **values):
        old = self._row(key)
        row = old | self._checked(values)
        self._ensure_unique(key, row)
        self._journal.remember(self, key, old)
        self.take_out(key)
        self.put_in(key, row)

    def delete(self, key):
        self._journal.remember(self, key, self._row(key))
        self.take_out(key)

    def get(self, key):
        return dict(self._row(key))

    def find(self, column, value):
        """The key of the row with that value in a unique column, or None."""
        return self._indexes[column].get(value)

    def select(self, where=lambda row: True):
        """All (key, row) for which `where` holds, by key."""
        return [(key, dict(self._rows[key])) for key in sorted(self._rows) if where(self._rows[key])]

    def _row(self, key):
        if key not in self._rows:
            raise NoRow(f"{self.name} has no row {key}")
        return self._rows[key]

    def _checked(self, values):
        for column in values:
            if column not in self.columns:
                raise DatabaseError(f"{self.name} has no column {column}")
        return values

    def _ensure_unique(self, key, row):
        for column, index in self._indexes.items():
            if row[column] is not None and index.get(row[column], key) != key:
                raise NotUnique(f"{self.name}.{column}: {row[column]!r} exists")

    def put_in(self, key, row):
        self._rows[key] = row
        for column, index in self._indexes.items():
            if row[column] is not None:
                index[row[column]] = key

    def take_out(self, key):
        row = self._rows.pop(key, None)
        if row is not None:
            for column, index in self._indexes.items():
                if row[column] is not None:
                    del index[row[column]]
