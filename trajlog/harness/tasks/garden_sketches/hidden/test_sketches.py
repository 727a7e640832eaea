import copy

from garden import GardenMap
from garden.advice import differences


def test_undo_in_the_sketch():
    garden = GardenMap(5, 2)
    garden.plant("bean", (0, 0), (1, 0), (2, 0))
    sketch = garden.sketch()
    sketch.undo()
    sketch.undo()
    assert (garden.rows(), garden.num_steps, sketch.rows(), sketch.num_steps) == (
        ['bbb..', '.....'], 3, ['b....', '.....'], 1,
    )


def test_undo_in_the_original():
    garden = GardenMap(5, 2, ["low", "high"])
    garden.plant("bean", (0, 0))
    sketch = garden.sketch()
    garden.plant("mint", (4, 1))
    garden.undo()
    sketch.undo()
    garden.plant("mint", (3, 1))
    sketch.plant("fern", (2, 1))
    assert (garden.plants(), sketch.plants(), garden.num_steps, sketch.num_steps) == (
        {'low': [((0, 0), 'bean'), ((3, 1), 'mint')], 'high': []},
        {'low': [((2, 1), 'fern')], 'high': []}, 2, 1,
    )


def test_hiding_is_per_map():
    garden = GardenMap(4, 1, ["low", "high"])
    garden.plant("mint", (0, 0))
    garden.select("high")
    garden.plant("hazel", (2, 0))
    sketch = copy.copy(garden)
    sketch.show(False)
    seen = [garden.rows(), sketch.rows()]
    garden.show(False)
    sketch.undo()
    assert [*seen, garden.rows(), sketch.rows(), sketch.selected] == [
        ['m.H.'], ['m...'], ['m...'], ['m.H.'], 'high',
    ]


def test_sketch_of_a_sketch():
    garden = GardenMap(6, 1)
    garden.plant("bean", (0, 0))
    first = garden.sketch("first")
    first.plant("bean", (1, 0))
    second = first.sketch("second")
    second.remove((0, 0))
    second.add_layer("top")
    second.plant("fern", (5, 0))
    assert [(item.origin, item.selected, item.rows()[0]) for item in (garden, first, second)] == [
        (None, 'ground', 'b.....'), ('first', 'ground', 'bb....'), ('first/second', 'top', '.b...f'),
    ]
    assert differences(garden, second) == ['- ground (0, 0) bean', '+ ground (1, 0) bean', '+ top (5, 0) fern']


def test_selection_changed_after_copying():
    garden = GardenMap(3, 1, ["a", "b"])
    sketch = garden.sketch()
    garden.select("b")
    sketch.plant("mint", (1, 0))
    garden.plant("bean", (2, 0))
    assert (garden.plants(), sketch.plants(), garden.num_steps + sketch.num_steps) == (
        {'a': [], 'b': [((2, 0), 'bean')]}, {'a': [((1, 0), 'mint')], 'b': []}, 2,
    )
