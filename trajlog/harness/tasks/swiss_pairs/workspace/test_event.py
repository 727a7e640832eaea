import pytest
from swiss.event import Event
from swiss.reports import entry_list, table


def test_first_round_follows_registration():
    assert Event("zoe", "ann", "max", "bea").start_round() == ["zoe-ann", "max-bea"]


def test_second_round_pairs_by_points():
    event = Event("zoe", "ann", "max", "bea")
    event.start_round()
    event.finish_round(0, 0.5)
    assert event.start_round() == ["ann-max", "bea-zoe"]


def test_table_before_the_draw():
    event = Event("zoe", "ann", "max", "bea")
    assert table(event.register) == ["1. ann 0", "2. bea 0", "3. max 0", "4. zoe 0"]
    assert event.start_round() == ["zoe-ann", "max-bea"]
    assert entry_list(event.register) == ["#1 zoe", "#2 ann", "#3 max", "#4 bea"]


def test_cross_table():
    event = Event("zoe", "ann", "max", "bea")
    event.start_round()
    event.enter("1-0, draw")
    event.start_round()
    event.enter("0-1, draw")
    assert event.cross_table() == ["zoe - 1 0 -", "ann 0 - - 0.5", "max 1 - - 0.5", "bea - 0.5 0.5 -"]


def test_double_registration_is_refused():
    with pytest.raises(ValueError, match="ann is registered already"):
        Event("ann", "ann")
