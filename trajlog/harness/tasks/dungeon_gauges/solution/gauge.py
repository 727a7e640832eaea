"""A number that stays between 0 and the maximum of its owner."""


class Gauge:
    def __init__(self, maximum):
        self._maximum = maximum

    def __set_name__(self, owner, name):
        self._slot = f"_{name}_now"

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        return instance.__dict__.get(self._slot, self.top(instance))

    def __set__(self, instance, value):
        instance.__dict__[self._slot] = max(0, min(value, self.top(instance)))

    def top(self, instance):
        return getattr(instance, self._maximum)
