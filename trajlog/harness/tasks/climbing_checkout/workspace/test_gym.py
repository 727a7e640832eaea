import pytest
from gym import Desk, NotCheckedIn


@pytest.fixture
def desk():
    return Desk([1, 2, 3], {38: 2, 42: 1}, {"grigri", "reverso", "eight"})


def test_all_comes_back(desk):
    desk.check_in("ada", 42)
    desk.lend("ada", "grigri")
    assert desk.handed_out() == (1, 1, 1)
    desk.check_out("ada")
    assert (desk.free_lockers, desk.shoes, sorted(desk.devices)) == (
        [1, 2, 3], {38: 2, 42: 1}, ["eight", "grigri", "reverso"])


def test_own_shoes(desk):
    desk.check_in("ben")
    desk.check_out("ben")
    assert desk.free_lockers == [1, 2, 3]


def test_unknown_guest(desk):
    with pytest.raises(NotCheckedIn):
        desk.check_out("cleo")


def test_no_shoes_of_that_size(desk):
    desk.check_in("ada", 42)
    desk.check_in("ben", 42)
    assert desk.handed_out() == (2, 1, 0)
