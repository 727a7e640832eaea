import pytest
from lending.desk import Desk
from lending.shelf import LendingError


def test_borrow_and_give_back():
    desk = Desk(["Emma", "Ulysses"])
    desk.borrow("ada", "Emma")
    assert desk.shelf.free("Emma") == 0
    assert desk.give_back("ada", "Emma") is None
    assert [desk.shelf.free(title) for title in desk.shelf.titles()] == [1, 1]


def test_copy_goes_to_the_first_in_line():
    desk = Desk(["Emma"])
    desk.borrow("ada", "Emma")
    assert [desk.hold("ben", "Emma"), desk.hold("cleo", "Emma")] == [1, 2]
    assert desk.give_back("ada", "Emma") == "ben"
    assert desk.loans == [("ben", "Emma")]


def test_hold_is_for_one_title():
    desk = Desk(["Emma", "Ulysses", "Dune"])
    desk.hold("ada", "Dune")
    assert [desk.queue_length(title) for title in ("Emma", "Ulysses", "Dune")] == [0, 0, 1]


def test_unknown_title_is_refused():
    with pytest.raises(LendingError, match="no such title: Momo"):
        Desk(["Emma"]).hold("ada", "Momo")
