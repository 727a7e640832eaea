from memdb.database import Database
from memdb.errors import DatabaseError, NoRow, NotUnique, TransactionError

__all__ = ["Database", "DatabaseError", "NoRow", "NotUnique", "TransactionError"]
