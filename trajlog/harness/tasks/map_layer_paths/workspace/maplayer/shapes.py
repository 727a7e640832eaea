"""What a layer holds."""

from dataclasses import dataclass, field


class LayerError(ValueError):
    """A layer that cannot be drawn or read."""


@dataclass
class Path:
    points: list
    label: str = ""

    @property
    def is_closed(self):
        return len(self.points) > 3 and self.points[0] == self.points[-1]

    def area(self):
        """Area of a closed path in square degrees, by the shoelace formula."""
        if not self.is_closed:
            raise LayerError(f"path {self.label!r} is not closed")
        pairs = zip(self.points, self.points[1:], strict=False)
        return abs(sum(ax * by - bx * ay for (ax, ay), (bx, by) in pairs)) / 2

    def bounds(self):
        xs, ys = zip(*self.points, strict=True)
        return min(xs), min(ys), max(xs), max(ys)


@dataclass
class Layer:
    name: str
    paths: list = field(default_factory=list)
    style: dict = field(default_factory=dict)

    def filled(self):
        """Labels of the paths that are filled when drawn."""
        return [path.label for path in self.paths if path.is_closed]

    def bounds(self):
        if not self.paths:
            raise LayerError(f"layer {self.name!r} is empty")
        west, south, east, north = zip(*(path.bounds() for path in self.paths), strict=True)
        return min(west), min(south), max(east), max(north)
