"""Objects whose cached properties can be forgotten together."""

from functools import cached_property


class Derived:
    def forget(self):
        """Drop every value that is computed from the data."""
        for cls in type(self).__mro__:
            for name, value in vars(cls).items():
                if isinstance(value, cached_property):
                    self.__dict__.pop(name, None)

    def known(self):
        """Names of the values that are computed at the moment."""
        return sorted(
            name for name in self.__dict__ if isinstance(getattr(type(self), name, None), cached_property)
        )
