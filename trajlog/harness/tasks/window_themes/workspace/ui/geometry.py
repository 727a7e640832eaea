"""Rectangles, in whole characters."""

from typing import NamedTuple


class Rect(NamedTuple):
    left: int
    top: int
    width: int
    height: int

    def contains(self, x, y):
        return self.left <= x < self.left + self.width and self.top <= y < self.top + self.height

    def columns(self, count):
        """Cut into columns side by side; the last one gets what is left over."""
        width = self.width // count
        lefts = [self.left + width * number for number in range(count)]
        widths = [width] * (count - 1) + [self.width - width * (count - 1)]
        return [Rect(left, self.top, each, self.height) for left, each in zip(lefts, widths, strict=True)]
