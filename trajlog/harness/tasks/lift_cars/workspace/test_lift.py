import pytest
from lift.calls import BoardClosed, Call, CallBoard
from lift.controller import Controller


def test_nearest_passenger_first():
    board = CallBoard()
    for origin, target in ((9, 0), (2, 5), (4, 0)):
        board.put(Call(origin, target, f"{origin}>{target}"))
    assert [board.take(3).name for _ in range(3)] == ["2>5", "4>0", "9>0"]


def test_one_car():
    lift = Controller(10, [0])
    lift.start()
    lift.call(3, 7)
    lift.settle()
    lift.call(6, 0)
    lift.stop()
    assert lift.report() == [("car 1", "ended", 2, 14)]


def test_three_cars_and_one_passenger():
    lift = Controller(10, [0, 0, 0])
    lift.start()
    lift.call(2, 5)
    lift.settle(1.5)
    lift.stop()
    rows = lift.report()
    assert [row[1] for row in rows] == ["ended", "ended", "ended"]
    assert sorted(row[2:] for row in rows) == [(0, 0), (0, 0), (1, 5)]


def test_no_calls_after_the_end():
    lift = Controller(4, [0])
    lift.board.close()
    with pytest.raises(BoardClosed):
        lift.call(0, 3)
