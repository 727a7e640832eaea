"""Filters of the firmware, line by line."""

from twin.cint import clamp, div, i16, i32, mod, mul, shift_right


class Smooth:
    """y += (x - y) / n, with what the division leaves carried to the next step."""

    def __init__(self, n, start=0):
        self.n = n
        self.value = start
        self.left = 0

    def step(self, x):
        delta = i16(x - self.value + self.left)
        self.value = i16(self.value + div(delta, self.n))
        self.left = mod(delta, self.n)
        return self.value


class Median3:
    def __init__(self):
        self._last = []

    def step(self, x):
        self._last = [*self._last[-2:], x]
        return sorted(self._last)[len(self._last) // 2]


class Scale:
    """x * gain / 256 + offset, in 32 bits, cut to a range."""

    def __init__(self, gain, offset=0, low=-32768, high=32767):
        self.gain = gain
        self.offset = offset
        self.low = low
        self.high = high

    def step(self, x):
        return clamp(i32(shift_right(mul(x, self.gain), 8) + self.offset), self.low, self.high)


class Trend:
    """Change per step over the last four values, in tenths."""

    def __init__(self):
        self._values = []

    def step(self, x):
        self._values = [*self._values[-3:], x]
        steps = len(self._values) - 1
        return div(i16((x - self._values[0]) * 10), steps) if steps else 0
