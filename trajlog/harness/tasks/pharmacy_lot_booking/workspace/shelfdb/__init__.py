"""shelfdb: tables of versioned records, for programs in which several hands change the same data."""

from shelfdb.record import Record
from shelfdb.table import Missing, Table

__all__ = ["Missing", "Record", "Table"]
