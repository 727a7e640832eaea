"""Joins results with the names of their time."""

from itertools import islice

from board.checked import in_order
from board.peeking import Peekable
from board.records import Named


class NamedResults:
    """Results with names; `page(size)` gives the next ones."""

    def __init__(self, results, renames):
        self._results = in_order(results, "result")
        self._renames = Peekable(renames)
        self._names = {}
        self.num_results = 0

    def _named(self, result):
        for rename in self._renames.take_while(lambda rename: rename.at <= result.at):
            self._names[rename.player] = rename.name
        self.num_results += 1
        name = self._names.get(result.player, result.player)
        return Named(result.at, result.player, name, result.points)

    def page(self, size):
        return [self._named(result) for result in islice(self._results, size)]

    def __iter__(self):
        return map(self._named, self._results)
