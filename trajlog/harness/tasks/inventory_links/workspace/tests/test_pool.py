import pytest
from pooling import Link, LinkError, LinkPool, PoolExhausted, unit_of_work
from pooling.unit import move


@pytest.fixture
def server():
    return {"down": False}


@pytest.fixture
def pool(server):
    return LinkPool(lambda now: Link(server, now), 2, lambda: 0)


def test_changes_are_made_together(server, pool):
    move(pool, "bolt", "a", "b", 7)
    with pytest.raises(KeyError), unit_of_work(pool) as link:
        link.stage("a/nut", 3)
        raise KeyError("nut")
    assert server["stock"] == {"a/bolt": -7, "b/bolt": 7}


def test_links_are_used_again(pool):
    for _ in range(5):
        with unit_of_work(pool):
            pass
    assert pool.stats() == {"idle": 1, "used": 0, "opened": 1}


def test_no_more_than_size(pool):
    held = [pool.acquire(), pool.acquire()]
    with pytest.raises(PoolExhausted):
        pool.acquire(timeout=0.01)
    pool.release(held[0])
    assert pool.stats() == {"idle": 1, "used": 1, "opened": 2}


def test_work_goes_on_after_an_outage(server, pool):
    server["down"] = True
    for _ in range(3):
        with pytest.raises(LinkError):
            move(pool, "bolt", "a", "b", 1)
    server["down"] = False
    move(pool, "bolt", "a", "b", 4)
    assert server["stock"] == {"a/bolt": -4, "b/bolt": 4}
