"""Tables.

Writing is optimistic. Who wants to change a row hands in the record that was read, and the change is made if the row
still has the version of that record. The answer is the record with the new version, or None if the row was changed
meanwhile; then nothing was written, and the row has to be read again.
"""

from shelfdb.record import Record


class Missing(LookupError):
    """There is no row with this id."""


class Table:
    def __init__(self, name, columns):
        self.name = name
        self._columns = tuple(columns)
        self._rows = {}
        self._last_id = 0

    def __len__(self):
        return len(self._rows)

    def insert(self, **values):
        self._check(values)
        self._last_id += 1
        record = Record(self._last_id, 1, {**dict.fromkeys(self._columns), **values})
        self._rows[record.id] = record
        return record

    def get(self, id):
        try:
            return self._rows[id]
        except KeyError:
            raise Missing(f"{self.name} {id}") from None

    def find(self, order=None, **wanted):
        """Records with these values, by id or by the column `order`."""
        self._check(wanted)
        found = [
            record
            for record in self._rows.values()
            if all(getattr(record, name) == value for name, value in wanted.items())
        ]
        return sorted(found, key=lambda record: (getattr(record, order or "id"), record.id))

    def update(self, record, **changes):
        self._check(changes)
        present = self.get(record.id)
        if present.version != record.version:
            return None
        written = Record(present.id, present.version + 1, {**present.values(), **changes})
        self._rows[present.id] = written
        return written

    def delete(self, record):
        """Whether the row was deleted; it is not if it has changed."""
        if self.get(record.id).version != record.version:
            return False
        del self._rows[record.id]
        return True

    def _check(self, values):
        for name in values:
            if name not in self._columns:
                raise TypeError(f"{self.name} has no column {name}")
