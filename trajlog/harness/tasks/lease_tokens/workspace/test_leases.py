import pytest
from leases import LeaseError, LeaseManager


class Clock:
    now = 0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def manager(clock):
    return LeaseManager(clock)


def test_taken_and_given_back(manager):
    with manager.acquire("gpu", "ada", 10):
        with pytest.raises(LeaseError, match="gpu is taken by ada"):
            manager.acquire("gpu", "ben", 10)
        manager.acquire("disk", "ben", 10)
    assert manager.table() == [("disk", "ben", 2)]


def test_renewed_in_time(clock, manager):
    lease = manager.acquire("gpu", "ada", 10)
    clock.now = 9
    lease.renew(10)
    clock.now = 18
    assert manager.table() == [("gpu", "ada", 1)]


def test_late_release(clock, manager):
    with manager.acquire("gpu", "ada", 10):
        clock.now = 12
        manager.acquire("gpu", "ben", 10)
    assert manager.table() == [("gpu", "ben", 2)]


def test_release_twice(manager):
    lease = manager.acquire("gpu", "ada", 10)
    assert ([lease.release(), lease.release()], manager.table()) == ([True, False], [])
