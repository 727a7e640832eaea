"""A server in memory that can be told to fail."""

from catalog.errors import NotFound, ServerBusy


class FakeServer:
    """`shelves` maps names to lists of items. `trouble` has the numbers of the requests that fail, from 1."""

    def __init__(self, shelves, page_size=3, trouble=()):
        self._shelves = shelves
        self._page_size = page_size
        self.trouble = set(trouble)
        self.requests = []

    def request(self, shelf, token=None):
        """One page: `{"items": [...], "next": token or None}`."""
        self.requests.append((shelf, token))
        if len(self.requests) in self.trouble:
            raise ServerBusy("busy")
        if shelf not in self._shelves:
            raise NotFound(shelf)
        start = int(token[1:]) if token else 0
        items = self._shelves[shelf]
        end = start + self._page_size
        return {"items": items[start:end], "next": f"t{end}" if end < len(items) else None}
