"""Rows as dicts, with listeners that hear of every change."""

import csv


class TableError(ValueError):
    pass


class Table:
    def __init__(self, columns, rows=()):
        self.columns = list(columns)
        self._rows = []
        self._listeners = []
        for row in rows:
            self.append(row)

    @classmethod
    def from_csv(cls, path):
        with open(path, newline="", encoding="utf-8") as stream:
            reader = csv.DictReader(stream)
            return cls(reader.fieldnames or [], list(reader))

    def append(self, row):
        unknown = set(row) - set(self.columns)
        if unknown:
            raise TableError(f"unknown columns: {', '.join(sorted(unknown))}")
        self._rows.append({column: row.get(column, "") for column in self.columns})
        self._tell()

    def replace(self, number, **values):
        self._rows[number].update(values)
        self._tell()

    def listen(self, function):
        self._listeners.append(function)

    def _tell(self):
        for function in self._listeners:
            function()

    def __iter__(self):
        return iter(self._rows)

    def __len__(self):
        return len(self._rows)
