"""Tables and transactions, which may be nested."""

from contextlib import contextmanager

from memdb.errors import DatabaseError, TransactionError
from memdb.journal import Journal
from memdb.table import Table


class Database:
    def __init__(self):
        self._journal = Journal()
        self._tables = {}

    def create(self, name, columns, unique=()):
        if self._journal.depth:
            raise TransactionError("tables are made outside of transactions")
        if name in self._tables:
            raise DatabaseError(f"table {name} exists")
        self._tables[name] = Table(name, columns, unique, self._journal)
        return self._tables[name]

    def __getitem__(self, name):
        return self._tables[name]

    @contextmanager
    def transaction(self):
        """Changes made within are kept if the block ends well, and undone if it ends with an error."""
        self._journal.begin()
        try:
            yield self
        except BaseException:
            self._journal.rollback()
            raise
        for call in self._journal.commit():
            call()

    def after_commit(self, call):
        self._journal.later(call)

    def dump(self):
        return {name: dict(table.select()) for name, table in self._tables.items()}
