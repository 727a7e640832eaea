import threading

import pytest
from lockers.bank import Bank, LockerError
from lockers.keylock import Busy, KeyLocks
from lockers.service import LockerService


class Crew:
    """Threads that go in one after the other and come out when they are told."""

    def __init__(self, locks, key="north"):
        self.locks, self.key = locks, key
        self.inside, self.most = [], 0
        self.entered = {}
        self.leave = {}
        self.threads = {}

    def start(self, name):
        self.entered[name], self.leave[name] = threading.Event(), threading.Event()
        self.threads[name] = threading.Thread(target=self._work, args=(name,), daemon=True)
        self.threads[name].start()

    def _work(self, name):
        with self.locks.holding(self.key):
            self.inside.append(name)
            self.most = max(self.most, len(self.inside))
            self.entered[name].set()
            assert self.leave[name].wait(2)
            self.inside.remove(name)

    def end(self, name):
        self.leave[name].set()
        self.threads[name].join(2)


def watched(waiting):
    class Watched:
        """A lock that tells who has to wait."""

        def __init__(self):
            self.lock = threading.Lock()
            self.release = self.lock.release
            self.locked = self.lock.locked

        def acquire(self, timeout):
            if self.lock.acquire(blocking=False):
                return True
            waiting.release()
            return self.lock.acquire(timeout=timeout)

    return Watched


def test_three_couriers():
    waiting = threading.Semaphore(0)
    crew = Crew(KeyLocks(watched(waiting)))
    crew.start("a")
    assert crew.entered["a"].wait(2)
    crew.start("b")
    assert waiting.acquire(timeout=2)
    crew.end("a")
    assert crew.entered["b"].wait(2)
    crew.start("c")
    refused = waiting.acquire(timeout=1.5) and not crew.entered["c"].is_set()
    crew.end("b")
    assert crew.entered["c"].wait(2)
    crew.end("c")
    assert (refused, crew.most, len(crew.locks)) == (True, 1, 0)


def test_other_banks_are_free():
    locks = KeyLocks()
    with locks.holding("north"), locks.holding("south", timeout=0.1):
        assert len(locks) == 2


def test_busy():
    locks = KeyLocks()
    with locks.holding("north"):
        with pytest.raises(Busy, match="north is in use"):
            with locks.holding("north", timeout=0.01):
                pass


def test_store_and_collect():
    service = LockerService([Bank.of("north", "SSML"), Bank.of("south", "M")])
    numbers = [service.store("north", f"p{i}", size) for i, size in enumerate("SLM")]
    numbers.append(service.move("p2", "north", "south"))
    with pytest.raises(LockerError, match="no locker for size L"):
        service.store("north", "p9", "L")
    assert (numbers, service.fill("north"), service.records[-2:]) == (
        [1, 4, 3, 1], (2, 4), [('out', 'north', 3, 'p2'), ('in', 'south', 1, 'p2')],
    )
