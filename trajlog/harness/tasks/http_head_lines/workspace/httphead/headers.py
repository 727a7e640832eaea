"""Headers of a message."""


class HeadError(ValueError):
    """The head of a message cannot be read; `line` counts from 1."""

    def __init__(self, line, message):
        super().__init__(f"line {line}: {message}")
        self.line = line


class Headers:
    """Names in any case, several values per name. Bytes are kept as Latin-1 text."""

    def __init__(self, pairs=()):
        self._pairs = list(pairs)

    def __len__(self):
        return len(self._pairs)

    def __iter__(self):
        return iter(self._pairs)

    def __contains__(self, name):
        return any(True for _ in self._values(name))

    def _values(self, name):
        return (value for own, value in self._pairs if own.lower() == name.lower())

    def add(self, name, value):
        self._pairs.append((name, value))

    def extend_last(self, more):
        name, value = self._pairs[-1]
        self._pairs[-1] = name, f"{value} {more}".strip(" \t")

    def get(self, name, default=None):
        """All values of that name, joined as the standard allows."""
        values = list(self._values(name))
        return ", ".join(values) if values else default

    def get_all(self, name):
        return list(self._values(name))

    def text(self, name, default=""):
        value = self.get(name)
        if value is None:
            return default
        raw = value.encode("latin-1")
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            return value
