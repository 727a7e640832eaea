"""A number that stays between 0 and the maximum of its owner."""


class Gauge:
    def __init__(self, maximum):
        self._maximum = maximum
        self._value = None

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        if self._value is None:
            return self.top(instance)
        return self._value

    def __set__(self, instance, value):
        self._value = max(0, min(value, self.top(instance)))

    def top(self, instance):
        return getattr(instance, self._maximum)
