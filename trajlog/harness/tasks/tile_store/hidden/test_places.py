from tiles.layers import Labels
from tiles.renderer import Renderer


def places_renderer(spots, **options):
    places = {(column * 4, row * 4): sign for sign, (column, row) in spots.items()}
    return Renderer({"map": Labels(places), "map1": Labels({(0, 0): "L"})}, top_zoom=12, **options)


def test_columns_and_rows():
    renderer = places_renderer({"a": (1, 23), "b": (12, 3), "c": (123, 0), "d": (1, 230), "e": (12, 30)})
    seen = [renderer.tile("map", 12, *spot)[0] for spot in [(1, 23), (12, 3), (123, 0), (1, 230), (12, 30)]]
    assert seen == ["a   ", "b   ", "c   ", "d   ", "e   "]


def test_zoom_and_column():
    renderer = places_renderer({"a": (11, 2), "b": (1, 2)})
    at_one = renderer.tile("map", 1, 21, 2)
    at_twelve = [renderer.tile("map", 12, 1, 2)[0], renderer.tile("map", 12, 11, 2)[0]]
    assert [at_one[0], *at_twelve] == ["    ", "b   ", "a   "]


def test_layer_names_with_digits():
    renderer = places_renderer({"a": (0, 0)})
    seen = [renderer.tile("map1", 2, 0, 0)[0], renderer.tile("map", 12, 0, 0)[0], renderer.tile("map1", 12, 0, 0)[0]]
    assert seen == ["L   ", "a   ", "L   "]
    assert renderer.rendered == 3


def test_negative_columns():
    renderer = places_renderer({"a": (3, -4), "b": (-3, 4), "c": (3, 4)})
    seen = [renderer.tile("map", 12, *spot)[0].strip() for spot in [(3, -4), (-3, 4), (3, 4), (3, -4)]]
    assert seen == ["a", "b", "c", "a"]


def test_least_recently_used_goes_first():
    renderer = places_renderer({}, capacity=2)
    for spot in [(0, 0), (1, 11), (0, 0), (11, 1), (0, 0), (1, 11)]:
        renderer.tile("map", 12, *spot)
    assert (renderer.rendered, renderer.store.hits, len(renderer.store)) == (4, 2, 2)
