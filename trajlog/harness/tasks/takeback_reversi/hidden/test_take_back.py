from game.engine import Engine
from game.notation import Recorder

MOVES = [(0, 0, 1), (1, 0, 2), (1, 1, 3), (0, 0, 1), (2, 0, 2)]


def played(count):
    engine = Engine()
    for move in MOVES[:count]:
        engine.play(*move)
    return engine


def whole(engine):
    state = engine.state
    sides = [(side.points, side.tray, side.hand) for side in state.sides.values()]
    return [state.board.text(), state.mover.name, *sides]


def test_one_move_with_captures():
    engine = played(3)
    engine.take_back()
    assert whole(engine) == [
        ".O../..../....", "X", (0, [], {1: 1, 2: 1, 3: 1}), (1, [1], {1: 2, 2: 0, 3: 1})
    ]


def test_several_moves_at_once():
    engine = played(5)
    engine.take_back(4)
    assert whole(engine) == [
        "X.../..../....", "O", (0, [], {1: 1, 2: 1, 3: 1}), (0, [], {1: 2, 2: 1, 3: 1})
    ]


def test_other_moves_after_a_take_back():
    engine = played(4)
    engine.take_back(2)
    engine.play(0, 0, 3)
    engine.play(3, 2, 3)
    engine.take_back()
    assert whole(engine) == [
        "X.../..../....", "O", (2, [2], {1: 1, 2: 1, 3: 0}), (1, [1], {1: 2, 2: 0, 3: 1})
    ]


def test_history_holds_the_scores_of_their_time():
    engine = played(5)
    assert engine.history() == [(0, 0), (0, 0), (0, 1), (2, 1), (2, 1)]


def test_recorder_with_take_backs():
    recorder = Recorder().do_all("a1=1, b1=2, back, b1=3, back 2, c3=2, b3=3, a3=1")
    assert recorder.text() == "c3=2, b3=3, a3=1"
    assert recorder.summary() == ["X 0 took - has 13", "O 2 took 2 has 112"]


def test_take_back_move_by_move():
    engine = played(4)
    seen = []
    for _ in range(4):
        engine.take_back()
        seen.append((engine.state.scores(), engine.state.sides["O"].hand[2], len(engine.state.sides["O"].tray)))
    assert seen == [((2, 1), 0, 1), ((0, 1), 0, 1), ((0, 0), 1, 0), ((0, 0), 1, 0)]
