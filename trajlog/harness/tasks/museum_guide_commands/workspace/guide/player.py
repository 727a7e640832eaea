"""The device in a visitor's hand."""

from guide.tour import COMMANDS, tour


class Finished(RuntimeError):
    """The tour is over."""


class Player:
    """`press` a button, or let a clip `end`; `playing` is what is heard."""

    def __init__(self, rooms, on_clip=None):
        self._tour = tour(rooms)
        self._on_clip = on_clip or (lambda clip: None)
        self.heard = []
        self.playing = None
        self._send(None)

    @property
    def is_finished(self):
        return self._tour is None

    def press(self, command):
        if command not in COMMANDS:
            raise ValueError(f"there is no button {command!r}")
        return self._send(command)

    def end(self):
        """The clip has ended by itself."""
        return self._send(None)

    def _send(self, command):
        if self.is_finished:
            raise Finished("the tour is over")
        try:
            self.playing = self._tour.send(command)
        except StopIteration:
            self._tour = self.playing = None
            return None
        self.heard.append(str(self.playing))
        self._on_clip(self.playing)
        return self.playing

    def run(self, script):
        """Words of a script: buttons, or `.` for a clip that ends by itself. Returns what was heard since."""
        start = len(self.heard)
        for word in script.split():
            if word == ".":
                self.end()
            else:
                self.press(word)
        return self.heard[start:]
