"""Conditions; `holds(values)` is asked once for each observation."""

import operator

SIGNS = {"<": operator.lt, ">": operator.gt, "=": operator.eq}


class Compare:
    def __init__(self, name, sign, limit):
        self.name = name
        self.sign = sign
        self.limit = limit

    def holds(self, values):
        return self.name in values and SIGNS[self.sign](values[self.name], self.limit)

    def reset(self):
        pass


class Crossing:
    """Holds when the comparison has just become true; the first observation only sets the stage."""

    def __init__(self, comparison):
        self.comparison = comparison
        self._was = None

    def holds(self, values):
        if self.comparison.name not in values:
            return False
        now = self.comparison.holds(values)
        crossed = now and self._was is False
        self._was = now
        return crossed

    def reset(self):
        self._was = None


class Changes:
    def __init__(self, name):
        self.name = name
        self._last = None

    def holds(self, values):
        value = values.get(self.name)
        changed = self._last is not None and value != self._last
        self._last = value
        return changed

    def reset(self):
        self._last = None


class Lasting:
    """Holds at the moment when the part has been true `count` times in a row."""

    def __init__(self, part, count):
        self.part = part
        self.count = count
        self._run = 0

    def holds(self, values):
        self._run = self._run + 1 if self.part.holds(values) else 0
        return self._run == self.count

    def reset(self):
        self._run = 0
        self.part.reset()


class Not:
    def __init__(self, part):
        self.part = part

    def holds(self, values):
        return not self.part.holds(values)

    def reset(self):
        self.part.reset()


class Both:
    """`and` and `or`; both parts see every observation."""

    def __init__(self, left, right, join):
        self.left = left
        self.right = right
        self.join = join

    def holds(self, values):
        parts = self.left.holds(values), self.right.holds(values)
        return all(parts) if self.join == "and" else any(parts)

    def reset(self):
        self.left.reset()
        self.right.reset()
