"""What programs use to read the catalogue."""

from itertools import islice

from catalog.retry import Retry


class Client:
    def __init__(self, server, retries=2, pause=lambda attempt: None):
        self._server = server
        self.log = []
        self._retry = Retry(retries, self.log, pause)

    def _pages(self, shelf):
        token = None
        while True:
            page = self._retry(self._server.request, shelf, token)
            yield page["items"]
            token = page["next"]
            if token is None:
                return

    def items(self, shelf):
        """Yield all items of a shelf."""
        pages = self._pages(shelf)
        while True:
            page = next(pages, None)
            if page is None:
                return
            yield from page

    def first(self, shelf, count):
        return list(islice(self.items(shelf), count))

    def find(self, shelf, **wanted):
        """The first item with these values, or None."""
        for item in self.items(shelf):
            if all(item.get(key) == value for key, value in wanted.items()):
                return item
        return None

    def totals(self, shelf, key):
        """Value of `key` -> number of items."""
        totals = {}
        for item in self.items(shelf):
            totals[item[key]] = totals.get(item[key], 0) + 1
        return totals

    def compare(self, shelf, other):
        """Ids that are on one of the shelves only: (only in the first, only in the second)."""
        mine = [item["id"] for item in self.items(shelf)]
        theirs = [item["id"] for item in self.items(other)]
        return [i for i in mine if i not in theirs], [i for i in theirs if i not in mine]
