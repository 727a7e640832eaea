"""Square cells of the map."""

from math import floor, hypot


class Grid:
    def __init__(self, size=1.0):
        if size <= 0:
            raise ValueError("size must be positive")
        self.size = size
        self.radius = hypot(size, size) / 2

    def cell(self, x, y):
        return floor(x / self.size), floor(y / self.size)

    def middle(self, cell):
        return (cell[0] + 0.5) * self.size, (cell[1] + 0.5) * self.size

    def along(self, start, end, step):
        """Points on the way between two points, both included."""
        length = hypot(end[0] - start[0], end[1] - start[1])
        count = max(1, round(length / step))
        for number in range(count + 1):
            part = number / count
            yield start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part
