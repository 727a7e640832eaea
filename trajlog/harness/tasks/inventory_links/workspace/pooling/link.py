"""One connection to the inventory server."""

import itertools


class LinkError(Exception):
    """The server cannot be reached or went away."""


class Link:
    _numbers = itertools.count(1)

    def __init__(self, server, now):
        if server.get("down"):
            raise LinkError("server is down")
        self.number = next(self._numbers)
        self.opened = now
        self.pending = []
        self._server = server
        self.closed = False

    def stage(self, item, change):
        self._check()
        self.pending.append((item, change))

    def commit(self):
        self._check()
        stock = self._server.setdefault("stock", {})
        for item, change in self.pending:
            stock[item] = stock.get(item, 0) + change
        count, self.pending = len(self.pending), []
        return count

    def rollback(self):
        self.pending = []

    def close(self):
        self.closed = True

    def _check(self):
        if self.closed:
            raise LinkError(f"link {self.number} is closed")
        if self._server.get("down"):
            raise LinkError("server went away")
