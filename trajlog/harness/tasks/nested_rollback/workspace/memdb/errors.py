class DatabaseError(Exception):
    """Base of all errors of this package."""


class NoRow(DatabaseError):
    pass


class NotUnique(DatabaseError):
    pass


class TransactionError(DatabaseError):
    """Something that is not possible in this state of a transaction."""
