import pytest
from leases import LeaseError, LeaseManager


class World:
    def __init__(self):
        self.now = 0
        self.manager = LeaseManager(lambda: self.now)

    def take(self, owner, at, seconds=10, resource="gpu"):
        self.now = at
        return self.manager.acquire(resource, owner, seconds)


def test_same_owner_after_expiry():
    world = World()
    old = world.take("ada", 0)
    new = world.take("ada", 11)
    results = [old.release(), world.manager.table(), new.release(), world.manager.table()]
    assert results == [False, [("gpu", "ada", 2)], True, []]


def test_renewal_of_an_old_lease():
    world = World()
    old = world.take("ada", 0)
    world.take("ben", 15, seconds=5)
    with pytest.raises(LeaseError, match="lease 1 on gpu is over"):
        old.renew(100)
    with pytest.raises(LeaseError):
        world.take("cid", 16)
    world.take("dan", 20)
    assert world.manager.table() == [("gpu", "dan", 3)]


def test_same_owner_renews_the_wrong_lease():
    world = World()
    old = world.take("ada", 0)
    world.take("ada", 10, seconds=3)
    with pytest.raises(LeaseError):
        old.renew(50)
    world.now = 13
    assert (world.manager.table(), world.take("ben", 13).token) == ([], 3)


def test_blocks_that_overlap():
    world = World()
    tokens = []
    with world.take("ada", 0), world.take("ada", 0, resource="disk", seconds=60):
        with world.take("ben", 30, seconds=60):
            tokens.append([row[2] for row in world.manager.table()])
        tokens.append([row[2] for row in world.manager.table()])
        world.take("ada", 31, seconds=60)
    tokens.append([row[2] for row in world.manager.table()])
    assert tokens == [[2, 3], [2], [4]]


def test_expired_and_not_taken_again():
    world = World()
    lease = world.take("ada", 0)
    world.now = 10
    assert (lease.release(), world.manager.table(), world.take("ben", 10).token) == (False, [], 2)
