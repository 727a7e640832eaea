"""Time in a fold: the newest append time read, then a monotonic clock from there.

Nothing times out while records wait unread: `now` is None until the fold has caught up, so ten minutes of downtime
expire nothing. Values in, values out: `monotonic_s` is a reading of time.monotonic() that the caller takes.
"""

from datetime import datetime, timedelta


class FoldClock:
    """Worked example::

    clock = FoldClock()
    clock.read(noon, monotonic_s=5.0)         # a record appended at noon
    clock.now(monotonic_s=6.0)                # None: not caught up yet
    clock.caught_up(monotonic_s=7.0)
    clock.now(monotonic_s=10.0)               # noon + 3 s
    """

    def __init__(self) -> None:
        self.newest: datetime | None = None
        """Newest append time read; None before the first record."""
        self._base: tuple[datetime, float] | None = None

    def read(self, append_time: datetime, monotonic_s: float) -> None:
        """A record was read. Moves the clock forward only."""
        if self.newest is None or append_time > self.newest:
            self.newest = append_time
        if self._base is not None and append_time > self._at(monotonic_s):
            self._base = (append_time, monotonic_s)

    def caught_up(self, monotonic_s: float) -> None:
        """The fold has read everything up to the end it saw at its start; the clock runs from the newest append
        time. Without any record it stays still, as there is nothing to time. Later calls change nothing."""
        if self._base is None and self.newest is not None:
            self._base = (self.newest, monotonic_s)

    def now(self, monotonic_s: float) -> datetime | None:
        """Logical time, or None while not caught up."""
        return None if self._base is None else self._at(monotonic_s)

    def _at(self, monotonic_s: float) -> datetime:
        assert self._base is not None
        time, since = self._base
        return time + timedelta(seconds=monotonic_s - since)
