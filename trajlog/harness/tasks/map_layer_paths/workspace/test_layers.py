import math

import pytest
from maplayer.draw import draw
from maplayer.layerfile import decode_points, dumps, encode_points, loads, merge
from maplayer.shapes import Layer, LayerError, Path


def lake(east, north, count=90):
    shore = [(8 + east * i / count, 47 + north * math.sin(math.pi * i / count)) for i in range(count)]
    return Path([*shore, (8 + east, 46.9), (8.0, 46.9), shore[0]], "lake")


def test_known_text():
    assert encode_points([(38.5, -120.2), (40.7, -120.95), (43.252, -126.453)]) == "_p~iF~ps|U_ulLnnqC_mqNvxq`@"


def test_square_comes_back():
    square = Path([(1, 1), (1.5, 1), (1.5, 1.5), (1, 1)], "square")
    loaded = loads(dumps(Layer("plots", [square], {"fill": "red"})))
    assert loaded.paths[0].points == [(1, 1), (1.5, 1), (1.5, 1.5), (1, 1)]
    assert (loaded.paths[0].area(), loaded.style) == (0.125, {"fill": "red"})


def test_lake_stays_closed():
    loaded = loads(dumps(Layer("water", [lake(0.0312, 0.004), lake(0.00121, 0.0001)])))
    assert loaded.filled() == ["lake", "lake"]


def test_merge():
    one = dumps(Layer("a", [Path([(1, 2), (3, 4)], "p")], {"w": 1}))
    two = dumps(Layer("b", [Path([(5, 6), (0, 1)], "q")], {"w": 2}))
    both = merge([one, two], "both")
    assert ([path.label for path in both.paths], both.style, both.bounds()) == (["p", "q"], {"w": 2}, (0, 1, 5, 6))


def test_broken_text():
    with pytest.raises(LayerError, match="cut off"):
        decode_points("_p~iF~ps|U_")


def test_drawing():
    square = Path([(0, 0), (1, 0), (1.5, 0), (2, 0), (2, 2), (0, 0)])
    picture = draw(loads(dumps(Layer("x", [square, Path([(0, 1), (1, 1)])], {"fill": "blue"}))), width=20)
    assert picture.split("\n")[1:3] == [
        '<path fill="blue" d="M0 20L20 20L20 0L0 20Z"/>', '<path fill="none" stroke="black" d="M0 10L10 10"/>'
    ]
