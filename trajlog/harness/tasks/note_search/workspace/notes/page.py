"""The search page."""

from notes.shaping import boost, mark, newest_first, take_page
from notes.tags import TagBook
from notes.text import query_key


class SearchPage:
    def __init__(self, index, size=3):
        self._index = index
        self._size = size
        self.tags = TagBook()
        self.pinned = set()

    def write(self, number, text, day=0):
        self._index.put(number, text, day)
        self.tags.put(number, text)

    def erase(self, number):
        self.tags.remove(number)
        self.pinned.discard(number)
        return self._index.remove(number)

    def show(self, query, page=1, order="score"):
        """Lines of one page, then a line that tells about the others."""
        hits = self._index.search(query)
        if order == "date":
            newest_first(hits)
        elif self.pinned:
            boost(hits, self.pinned)
        shown, others = take_page(hits, page, self._size)
        mark(shown, query_key(query))
        lines = [f"{hit.number} ({hit.score:g}) {' | '.join(hit.pieces)}" for hit in shown]
        return [*lines, f"{others} more"]
