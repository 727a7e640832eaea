import pytest
from board.checked import OutOfOrder
from board.join import NamedResults
from board.live import LiveBoard
from board.records import Rename, Result

RESULTS = ["10 p1 5", "20 p2 7", "30 p1 1", "40 p3 2", "50 p2 4", "60 p1 9"]
RENAMES = ["5 p1 Ann", "45 p2 Bo the Great", "55 p1 Anna"]


def test_all_at_once():
    board = LiveBoard(RESULTS, RENAMES, page_size=100)
    assert board.refresh_all() == ["1. Anna 15 (3)", "2. Bo the Great 11 (2)", "3. p3 2 (1)"]
    assert board.ticker == ["p2 is now Bo the Great", "Ann is now Anna"]


def test_page_by_page():
    board = LiveBoard(RESULTS, RENAMES, page_size=2)
    assert [board.refresh() for _ in range(4)] == [2, 2, 2, 0]
    assert board.standings.lines() == ["1. Anna 15 (3)", "2. Bo the Great 11 (2)", "3. p3 2 (1)"]


def test_equal_points_share_a_place():
    board = LiveBoard(["1 a 3", "1 b 3", "2 c 1"], [])
    assert board.refresh_all() == ["1. a 3 (1)", "1. b 3 (1)", "3. c 1 (1)"]


def test_order_is_checked():
    source = NamedResults([Result(5, "a", 1), Result(4, "a", 1)], [Rename(1, "a", "A")])
    with pytest.raises(OutOfOrder, match="result at 4 after 5"):
        source.page(2)
