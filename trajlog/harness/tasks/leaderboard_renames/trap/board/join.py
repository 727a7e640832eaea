"""Joins results with the names of their time."""

from itertools import islice

from board.checked import in_order
from board.peeking import Peekable
from board.records import Named


class NamedResults:
    """Results with names; `page(size)` gives the next ones."""

    def __init__(self, results, renames):
        self._results = in_order(results, "result")
        self._renames = iter(renames)
        self._names = {}
        self.num_results = 0

    def _join(self, results):
        renames = Peekable(self._renames)
        for result in results:
            for rename in renames.take_while(lambda rename, at=result.at: rename.at <= at):
                self._names[rename.player] = rename.name
            self.num_results += 1
            name = self._names.get(result.player, result.player)
            yield Named(result.at, result.player, name, result.points)
        waiting = renames.peek()
        if waiting is not None:
            self._names[waiting.player] = waiting.name

    def page(self, size):
        return list(self._join(islice(self._results, size)))

    def __iter__(self):
        return self._join(self._results)
