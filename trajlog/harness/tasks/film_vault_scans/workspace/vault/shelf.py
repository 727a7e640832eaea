"""Shelves.

A scan goes along a shelf, reel by reel. From the moment it is made, a shelf stands still for it: nothing can be put or
taken until all scans of the shelf have ended. A scan ends by itself behind the last reel; one that does not get that
far has to be closed, with `close()` or by a `with` block.
"""

from vault.errors import NoReel, ShelfBusy


class Scan:
    def __init__(self, shelf, reels):
        self._shelf = shelf
        self._reels = iter(reels)
        self._ended = False

    def __iter__(self):
        return self

    def __next__(self):
        if self._ended:
            raise StopIteration
        try:
            return next(self._reels)
        except StopIteration:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def close(self):
        if not self._ended:
            self._ended = True
            self._shelf.scan_ended()


class Shelf:
    def __init__(self, name, reels=()):
        self.name = name
        self._reels = {}
        self._num_scans = 0
        for reel in reels:
            self.put(reel)

    def __len__(self):
        return len(self._reels)

    @property
    def is_busy(self):
        return self._num_scans > 0

    def scan(self):
        """A scan of all reels, in the order of their codes."""
        self._num_scans += 1
        return Scan(self, [self._reels[code] for code in sorted(self._reels)])

    def put(self, reel):
        self._check()
        self._reels[reel.code] = reel

    def take(self, code):
        self._check()
        if code not in self._reels:
            raise NoReel(f"{code} is not on shelf {self.name}")
        return self._reels.pop(code)

    def scan_ended(self):
        self._num_scans -= 1

    def _check(self):
        if self._num_scans:
            raise ShelfBusy(f"shelf {self.name} has open scans")
