"""Records as they were when they were read."""


class Record:
    """The values of a row at one version; they are read as attributes. A record never changes."""

    __slots__ = ("id", "version", "_values")

    def __init__(self, id, version, values):
        self.id = id
        self.version = version
        self._values = dict(values)

    def __getattr__(self, name):
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(name) from None

    def values(self):
        return dict(self._values)

    def __repr__(self):
        inner = ", ".join(f"{name}={value!r}" for name, value in self._values.items())
        return f"<{self.id} v{self.version} {inner}>"
