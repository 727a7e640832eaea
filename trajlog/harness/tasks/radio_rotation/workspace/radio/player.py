"""Drives the programme."""

from radio.commands import Answer


class OffAir(RuntimeError):
    """The programme has ended, or not begun."""


class Player:
    """Plays a programme; `current` is what is heard now."""

    def __init__(self, programme):
        self._programme = programme
        self.current = None
        self.is_over = False
        self.elapsed = 0

    def advance(self):
        """Play the current segment to its end; returns what comes next, None at the end."""
        if self.current is not None:
            self.elapsed += self.current.seconds
        return self._take(lambda: next(self._programme))

    def command(self, command):
        """Send a command. Returns the value of the answer, or the segment that plays instead."""
        if self.is_over:
            raise OffAir("the programme is over")
        if self.current is None:
            self._take(lambda: next(self._programme))
        return self._take(lambda: self._programme.send(command))

    def _take(self, step):
        try:
            got = step()
        except StopIteration:
            self.is_over = True
            self.current = None
            return None
        if isinstance(got, Answer):
            return got.value
        self.current = got
        return got
