"""Layers as SVG."""

from xml.sax.saxutils import quoteattr

from maplayer.simplify import simplified


class Canvas:
    """Maps degrees to pixels; north is up."""

    def __init__(self, bounds, width=200):
        self._west, self._south, east, self._north = bounds
        span = max(east - self._west, self._north - self._south) or 1
        self._scale = width / span
        self.width = width

    def pixel(self, point):
        x, y = point
        return round((x - self._west) * self._scale, 1), round((self._north - y) * self._scale, 1)

    def path_data(self, path, tolerance):
        pixels = simplified([self.pixel(point) for point in path.points], tolerance)
        steps = "L".join(f"{x:g} {y:g}" for x, y in pixels)
        return f"M{steps}{'Z' if path.is_closed else ''}"


def draw(layer, width=200, tolerance=0.5):
    """SVG text; closed paths are filled, the others are lines."""
    canvas = Canvas(layer.bounds(), width)
    fill = quoteattr(layer.style.get("fill", "gray"))
    lines = [f'<svg width="{width}" height="{width}">']
    for path in layer.paths:
        paint = f"fill={fill}" if path.is_closed else 'fill="none" stroke="black"'
        lines.append(f"<path {paint} d={quoteattr(canvas.path_data(path, tolerance))}/>")
    return "\n".join([*lines, "</svg>"])
