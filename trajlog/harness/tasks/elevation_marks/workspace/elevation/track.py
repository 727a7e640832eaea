"""The points of a route: distance from the start, height, and what is there."""

from dataclasses import dataclass, field

MARKS = ("feed", "timing", "water")


@dataclass
class Point:
    metres: int
    height: float
    marks: frozenset = frozenset()

    def __post_init__(self):
        unknown = set(self.marks) - set(MARKS)
        if unknown:
            raise ValueError(f"unknown mark {sorted(unknown)[0]!r}")
        self.marks = frozenset(self.marks)


@dataclass
class Track:
    name: str
    points: list = field(default_factory=list)

    def add(self, metres, height, *marks):
        if self.points and metres <= self.points[-1].metres:
            raise ValueError(f"{metres} m is not after {self.points[-1].metres} m")
        self.points.append(Point(metres, height, frozenset(marks)))
        return self

    @property
    def length(self):
        return self.points[-1].metres - self.points[0].metres if self.points else 0

    def ascent(self):
        """Metres climbed; descents do not count."""
        heights = [point.height for point in self.points]
        return round(sum(max(0, b - a) for a, b in zip(heights, heights[1:], strict=False)), 1)

    def marked(self, mark):
        return [point.metres for point in self.points if mark in point.marks]
