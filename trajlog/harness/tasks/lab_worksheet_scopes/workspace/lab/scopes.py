"""The values that are defined at a place of the worksheet."""

from collections import ChainMap


class Scopes:
    """Blocks inside each other; the innermost comes first."""

    def __init__(self, lab_values=()):
        self._values = ChainMap(dict(lab_values))

    @property
    def values(self):
        """A mapping of everything that can be seen."""
        return self._values

    @property
    def depth(self):
        return len(self._values.maps) - 1

    def enter(self):
        self._values = self._values.new_child()

    def leave(self):
        """Forget the innermost block."""
        self._values = self._values.parents

    def define(self, name, value):
        self._values[name] = value

    def change(self, name, value):
        if name not in self._values:
            raise KeyError(name)
        self._values[name] = value

    def drop(self, name):
        if name not in self._values:
            raise KeyError(name)
        self._values.pop(name)
