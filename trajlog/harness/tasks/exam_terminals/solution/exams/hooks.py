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
        if not self.is_installed:
            self._before = self._terminal.handler
            self._terminal.handler = self

    def remove(self):
        if not self.is_installed:
            return
        if self._terminal.handler is self:
            self._terminal.handler = self._before
        else:
            above = self._terminal.handler
            while above._before is not self:
                above = above._before
            above._before = self._before
        self._before = None

    def __enter__(self):
        self.install()
        return self

    def __exit__(self, *exc):
        self.remove()
