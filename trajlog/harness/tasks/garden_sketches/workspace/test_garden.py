import copy

import pytest
from garden import GardenMap, MapError
from garden.advice import differences, shade


def planted():
    garden = GardenMap(6, 4, ["ground", "trees"])
    garden.plant("fern", (0, 0), (5, 3))
    garden.select("trees")
    garden.plant("apple", (2, 1))
    return garden


def test_rows():
    garden = planted()
    assert garden.rows() == ["f.....", "..A...", "......", ".....f"]
    garden.show(False)
    assert garden.rows() == ["f.....", "......", "......", ".....f"]
    garden.undo()
    assert garden.rows()[1] == "..A..."


def test_sketch_is_independent():
    garden = planted()
    sketch = garden.sketch("more trees")
    sketch.plant("hazel", (5, 1))
    assert (garden.plants()["trees"], sketch.plants()["trees"]) == (
        [((2, 1), "apple")],
        [((2, 1), "apple"), ((5, 1), "hazel")],
    )


def test_too_close():
    garden = planted()
    with pytest.raises(MapError, match=r"hazel at \(4, 1\) is too close to apple at \(2, 1\)"):
        garden.plant("hazel", (4, 1))
    assert shade(garden, "ground") == [(0, 0), (5, 3)]


def test_copied_layer():
    garden = planted()
    layer = copy.copy(garden.layer("ground"))
    layer.take((0, 0))
    assert (len(layer), garden.plants()["ground"]) == (1, [((0, 0), "fern"), ((5, 3), "fern")])


def test_differences():
    one, other = planted(), planted()
    other.remove((2, 1))
    other.plant("apple", (0, 1))
    assert differences(one, other) == ["+ trees (0, 1) apple", "- trees (2, 1) apple"]
