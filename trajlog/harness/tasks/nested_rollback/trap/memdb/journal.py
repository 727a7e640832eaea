"""What has to be put back when a transaction fails.

Every level of a transaction remembers, for each row it touches, how the row was when the level began.
"""

from memdb.errors import TransactionError

MISSING = object()


class Level:
    def __init__(self):
        self.before = {}
        self.on_commit = []


class Journal:
    def __init__(self):
        self._levels = []

    @property
    def depth(self):
        return len(self._levels)

    def begin(self):
        level = Level()
        if self._levels:
            level.before.update(self._levels[-1].before)
        self._levels.append(level)

    def remember(self, table, key, row):
        """To be called before the row changes; `row` is what it is now, or MISSING."""
        if not self._levels:
            raise TransactionError("changes are made within a transaction")
        self._levels[-1].before.setdefault((table, key), row)

    def later(self, call):
        """Have something called once the outermost level is committed."""
        if not self._levels:
            raise TransactionError("there is no transaction")
        self._levels[-1].on_commit.append(call)

    def commit(self):
        """End the innermost level. Its part goes to the level around it, if there is one."""
        level = self._levels.pop()
        if not self._levels:
            return level.on_commit
        outer = self._levels[-1]
        outer.before.update(level.before)
        outer.on_commit.extend(level.on_commit)
        return []

    def rollback(self):
        """Put everything back as it was when the innermost level began."""
        level = self._levels.pop()
        for table, key in level.before:
            table.take_out(key)
        for (table, key), row in level.before.items():
            if row is not MISSING:
                table.put_in(key, row)
