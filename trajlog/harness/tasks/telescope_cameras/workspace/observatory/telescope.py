"""A telescope below its dome."""

from contextlib import contextmanager


class TelescopeError(RuntimeError):
    """The telescope cannot do that."""


class Telescope:
    def __init__(self, name, log, lowest=20):
        self.name = name
        self.target = None
        self.is_open = False
        self.is_parked = True
        self._lowest = lowest
        self._log = log

    @contextmanager
    def opened_dome(self):
        self._log.append(f"{self.name} dome opens")
        self.is_open = True
        try:
            yield
        finally:
            if not self.is_parked:
                raise TelescopeError(f"dome of {self.name} cannot close: the tube is in the way")
            self.is_open = False
            self._log.append(f"{self.name} dome closes")

    @contextmanager
    def unparked(self):
        self.is_parked = False
        try:
            yield
        finally:
            self.is_parked, self.target = True, None
            self._log.append(f"{self.name} parked")

    def point(self, target, altitude):
        if not self.is_open:
            raise TelescopeError(f"dome of {self.name} is closed")
        if altitude < self._lowest:
            raise TelescopeError(f"{target} is too low")
        self.target = target
        self._log.append(f"{self.name} at {target}")
