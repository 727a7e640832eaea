"""A number that stays between 0 and the maximum of its owner."""


class Gauge:
    def __init__(self, maximum):
        self._maximum = maximum
        self._values = {}

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        return self._values.get(id(instance), self.top(instance))

    def __set__(self, instance, value):
        self._values[id(instance)] = max(0, min(value, self.top(instance)))

    def top(self, instance):
        return getattr(instance, self._maximum)
