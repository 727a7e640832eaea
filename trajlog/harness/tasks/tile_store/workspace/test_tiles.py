import pytest
from tiles.layers import Checker, Labels, Stack
from tiles.renderer import Renderer, UnknownLayer


@pytest.fixture
def renderer():
    places = {(44, 8): "A", (4, 48): "B", (-4, 0): "W"}
    return Renderer({"base": Checker(2), "map": Stack(Checker(4), Labels(places))}, top_zoom=5)


def test_one_tile(renderer):
    assert renderer.tile("base", 5, 0, 0) == ("..##", "..##", "##..", "##..")


def test_window(renderer):
    assert renderer.view("map", 5, range(-1, 1), range(1)) == ["W###....", "####....", "####....", "####...."]
    assert renderer.rendered == 2


def test_far_tiles(renderer):
    seen = [renderer.tile("map", 5, column, row)[0] for column, row in [(1, 12), (11, 2)]]
    assert seen == ["B###", "A###"]


def test_used_tiles_are_not_rendered_again(renderer):
    for _ in range(3):
        renderer.tile("base", 3, 2, 2)
    assert (renderer.rendered, renderer.store.hits, len(renderer.store)) == (1, 2, 1)


def test_unknown_layer(renderer):
    with pytest.raises(UnknownLayer):
        renderer.tile("roads", 1, 0, 0)
