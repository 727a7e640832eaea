"""An iterator whose next entry can be looked at."""

_NONE = object()


class Peekable:
    def __init__(self, iterable):
        self._rest = iter(iterable)
        self._seen = _NONE

    def __iter__(self):
        return self

    def __next__(self):
        if self._seen is _NONE:
            return next(self._rest)
        entry, self._seen = self._seen, _NONE
        return entry

    def peek(self, default=None):
        """The next entry, which stays the next one; `default` if there is none now."""
        if self._seen is _NONE:
            try:
                self._seen = next(self._rest)
            except StopIteration:
                return default
        return self._seen

    def take_while(self, wanted):
        """The entries up to the first one that is not wanted; that one stays."""
        while self.peek(_NONE) is not _NONE and wanted(self._seen):
            yield next(self)
