import pytest
from game.board import IllegalMove
from game.engine import Engine
from game.notation import Recorder


def hands(engine):
    return {name: side.hand for name, side in engine.state.sides.items()}


def test_stronger_tile_captures():
    engine = Engine()
    engine.play(0, 0, 1)
    engine.play(1, 0, 2)
    assert engine.state.board.text() == ".O../..../...."
    assert engine.state.sides["O"].tray == [1]
    assert engine.state.scores() == (0, 1)


def test_missing_tile_is_refused():
    engine = Engine()
    with pytest.raises(IllegalMove, match="X has no tile 9"):
        engine.play(0, 0, 9)


def test_board_after_take_back():
    engine = Engine()
    engine.play(0, 0, 1)
    engine.play(3, 2, 1)
    engine.take_back()
    assert engine.state.board.text() == "X.../..../...."
    assert engine.state.mover.name == "O"


def test_hand_after_take_back():
    engine = Engine()
    engine.play(0, 0, 3)
    engine.take_back()
    assert hands(engine) == {"X": {1: 2, 2: 1, 3: 1}, "O": {1: 2, 2: 1, 3: 1}}
    engine.play(2, 1, 3)
    assert engine.state.board.text() == "..../..X./...."


def test_recorded_game():
    recorder = Recorder().do_all("a1=1, b1=2, b2=3")
    assert recorder.text() == "a1=1, b1=2, b2=3"
    assert recorder.summary() == ["X 2 took 2 has 12", "O 1 took 1 has 113"]


def test_points_after_take_back():
    engine = Engine()
    engine.play(0, 0, 1)
    engine.play(1, 0, 2)
    engine.take_back(2)
    assert engine.state.scores() == (0, 0)
    assert engine.history() == []
