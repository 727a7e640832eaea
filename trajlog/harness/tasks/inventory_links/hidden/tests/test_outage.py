import pytest
from pooling import Link, LinkError, LinkPool, PoolExhausted, unit_of_work
from pooling.unit import move


class World:
    def __init__(self, size, max_age=300):
        self.server = {"down": False}
        self.now = 0
        self.pool = LinkPool(lambda now: Link(self.server, now), size, lambda: self.now, max_age)

    def failures(self, times):
        seen = []
        for _ in range(times):
            try:
                move(self.pool, "bolt", "a", "b", 1)
                seen.append("moved")
            except (LinkError, PoolExhausted) as error:
                seen.append(type(error).__name__)
        return seen


def test_old_links_during_an_outage():
    world = World(2, max_age=60)
    held = [world.pool.acquire(), world.pool.acquire()]
    for link in held:
        world.pool.release(link)
    world.now = 100
    world.server["down"] = True
    seen = world.failures(4)
    world.server["down"] = False
    seen += world.failures(2)
    assert seen == ["LinkError", "LinkError", "LinkError", "LinkError", "moved", "moved"]
    assert all(link.closed for link in held)
    assert world.pool.stats() == {"idle": 1, "used": 0, "opened": 3}


def test_link_that_breaks_in_use():
    world = World(1)
    with pytest.raises(LinkError), unit_of_work(world.pool) as link:
        link.stage("a/nut", 5)
        world.server["down"] = True
    seen = world.failures(2)
    world.server["down"] = False
    seen += world.failures(1)
    assert (seen, world.pool.stats()) == (
        ["LinkError", "LinkError", "moved"],
        {"idle": 1, "used": 0, "opened": 2},
    )


def test_limit_holds_after_an_outage():
    world = World(3)
    world.server["down"] = True
    first = world.failures(5)
    world.server["down"] = False
    held = [world.pool.acquire(0.2) for _ in range(3)]
    with pytest.raises(PoolExhausted):
        world.pool.acquire(timeout=0.01)
    assert (first, len({link.number for link in held})) == (["LinkError"] * 5, 3)
    assert world.pool.stats() == {"idle": 0, "used": 3, "opened": 3}


def test_error_while_connecting_is_passed_on():
    answers = iter([OSError("refused"), KeyboardInterrupt(), OSError("refused"), None])

    def connect(now):
        answer = next(answers)
        if answer:
            raise answer
        return Link({}, now)

    pool = LinkPool(connect, 1, lambda: 0)
    names = []
    for _ in range(4):
        try:
            pool.release(pool.acquire(timeout=0.05))
            names.append("ok")
        except BaseException as error:
            names.append(type(error).__name__)
    assert names == ["OSError", "KeyboardInterrupt", "OSError", "ok"]
