"""Fewer points for small scales."""

import math


def distance(point, start, end):
    """Of a point from the line through two others."""
    (x, y), (ax, ay), (bx, by) = point, start, end
    length = math.hypot(bx - ax, by - ay)
    if length == 0:
        return math.hypot(x - ax, y - ay)
    return abs((bx - ax) * (ay - y) - (ax - x) * (by - ay)) / length


def simplified(points, tolerance):
    """The points that are needed so that none of the others is farther away than that (Douglas-Peucker)."""
    if len(points) < 3:
        return list(points)
    keep = {0, len(points) - 1}
    todo = [(0, len(points) - 1)]
    while todo:
        first, last = todo.pop()
        middle = range(first + 1, last)
        if not middle:
            continue
        far = max(middle, key=lambda index: distance(points[index], points[first], points[last]))
        if distance(points[far], points[first], points[last]) > tolerance:
            keep.add(far)
            todo += [(first, far), (far, last)]
    return [points[index] for index in sorted(keep)]
