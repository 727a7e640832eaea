import pytest
from drawing import Drawing, DrawingError


@pytest.fixture
def drawing():
    drawing = Drawing()
    drawing.add("a", x=1, y=1)
    drawing.add("b", x=5, y=5)
    return drawing


def test_move_is_one_step(drawing):
    drawing.move(["a", "b"], 2, 3)
    assert drawing.shapes == {"a": {"x": 3, "y": 4}, "b": {"x": 7, "y": 8}}
    assert drawing.history.undo() == "move 2"
    assert drawing.shapes == {"a": {"x": 1, "y": 1}, "b": {"x": 5, "y": 5}}


def test_groups_in_groups(drawing):
    drawing.row("c", 3, 10)
    assert drawing.shapes["c2"] == {"x": 20, "y": 0}
    assert [drawing.history.undo() for _ in range(3)] == ["row of 3", "change", "change"]


def test_undo_after_a_failed_move(drawing):
    with pytest.raises(DrawingError, match="no shape z"):
        drawing.move(["z"], 1, 1)
    drawing.change("a", x=9)
    assert drawing.history.labels() == ["change", "change", "change"]
    assert drawing.history.undo() == "change"
    assert drawing.shapes["a"] == {"x": 1, "y": 1}


def test_nothing_to_undo():
    with pytest.raises(DrawingError, match="nothing to undo"):
        Drawing().history.undo()
