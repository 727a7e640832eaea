"""The difference between "nothing" and "not said"."""


class Unset:
    """Stands where no value was given. There is only one of it."""

    _only = None

    def __new__(cls):
        if cls._only is None:
            cls._only = super().__new__(cls)
        return cls._only

    def __repr__(self):
        return "UNSET"

    def __bool__(self):
        return False


UNSET = Unset()


def given(value, otherwise):
    """The value, or what `otherwise()` gives if there is none."""
    return otherwise() if value is UNSET else value
