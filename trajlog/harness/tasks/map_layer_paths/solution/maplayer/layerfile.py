"""Layers as JSON. A path is stored as the steps from point to point, the first one from (0, 0)."""

import json

from maplayer.digits import read_numbers, write_numbers
from maplayer.shapes import Layer, LayerError, Path

SCALE = 100_000


def encode_points(points):
    steps = []
    last_x = last_y = 0
    for x, y in points:
        cell_x, cell_y = round(x * SCALE), round(y * SCALE)
        steps += (cell_x - last_x, cell_y - last_y)
        last_x, last_y = cell_x, cell_y
    return write_numbers(steps)


def decode_points(text):
    points = []
    x = y = 0
    numbers = list(read_numbers(text))
    if len(numbers) % 2:
        raise LayerError("path has half a point")
    for step_x, step_y in zip(numbers[::2], numbers[1::2], strict=True):
        x, y = x + step_x, y + step_y
        points.append((x / SCALE, y / SCALE))
    return points


def dumps(layer):
    paths = [{"label": path.label, "points": encode_points(path.points)} for path in layer.paths]
    return json.dumps({"layer": layer.name, "style": layer.style, "paths": paths}, indent=1)


def loads(text):
    document = json.loads(text)
    if "layer" not in document:
        raise LayerError("not a layer")
    layer = Layer(document["layer"], style=document.get("style", {}))
    for entry in document["paths"]:
        layer.paths.append(Path(decode_points(entry["points"]), entry.get("label", "")))
    return layer


def merge(texts, name):
    """One layer with the paths of all; later styles win."""
    merged = Layer(name)
    for text in texts:
        layer = loads(text)
        merged.paths += layer.paths
        merged.style.update(layer.style)
    return merged
