import pytest
from drawing import Drawing, DrawingError


def make():
    drawing = Drawing()
    drawing.add("a", x=1, y=1)
    drawing.add("b", x=5, y=5)
    return drawing


def test_failed_move_moves_nothing():
    drawing = make()
    with pytest.raises(DrawingError):
        drawing.move(["a", "b", "z"], 10, 10)
    assert drawing.shapes == {"a": {"x": 1, "y": 1}, "b": {"x": 5, "y": 5}}
    assert drawing.history.labels() == ["change", "change"]


def test_failed_row():
    drawing = make()
    drawing.add("c2")
    with pytest.raises(DrawingError, match="there is a shape c2"):
        drawing.row("c", 5, 2)
    assert list(drawing.shapes) == ["a", "b", "c2"]
    assert [drawing.history.undo() for _ in range(3)] == ["change", "change", "change"]


def test_failed_part_of_a_good_group():
    drawing = make()
    with drawing.history.group("layout"):
        drawing.change("a", colour="red")
        for names in (["a", "z"], ["b", "a", "y"]):
            with pytest.raises(DrawingError):
                drawing.move(names, 3, 3)
        drawing.change("b", colour="blue")
    assert drawing.shapes == {"a": {"x": 1, "y": 1, "colour": "red"}, "b": {"x": 5, "y": 5, "colour": "blue"}}
    assert (drawing.history.undo(), drawing.shapes["a"]) == ("layout", {"x": 1, "y": 1})


def test_changes_after_a_failure_are_separate():
    drawing = make()
    with pytest.raises(KeyboardInterrupt), drawing.history.group("long"):
        drawing.change("a", x=100)
        raise KeyboardInterrupt
    drawing.change("b", x=7)
    drawing.move(["a"], 1, 0)
    drawing.change("b", x=8)
    xs = []
    for _ in range(3):
        label = drawing.history.undo()
        xs.append((label, drawing.shapes["a"]["x"], drawing.shapes["b"]["x"]))
    assert xs == [("change", 2, 7), ("move 1", 1, 7), ("change", 1, 5)]
