"""Hooks in front of the handler of a terminal."""


class Hook:
    """`function(key, pass_on)` gets each key and decides whether to call `pass_on(key)`."""

    def __init__(self, terminal, function):
        self._terminal = terminal
        self._function = function
        self._before = None

    def __call__(self, key):
        self._function(key, self._before)

    @property
    def is_installed(self):
        return self._before is not None

    def install(self):
        self._before = self._terminal.handler
        self._terminal.handler = self

    def remove(self):
        if self.is_installed:
            self._terminal.handler = self._before
            self._before = None

    def __enter__(self):
        self.install()
        return self

    def __exit__(self, *exc):
        self.remove()
