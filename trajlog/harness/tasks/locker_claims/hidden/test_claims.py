import threading

import pytest
from lockers.bank import Bank
from lockers.keylock import Busy, KeyLocks
from lockers.service import LockerService


class Noting:
    """A lock that tells when somebody waits for it."""

    waits = None

    def __init__(self):
        self.lock = threading.Lock()
        self.release = self.lock.release
        self.locked = self.lock.locked

    def acquire(self, timeout):
        if self.lock.acquire(blocking=False):
            return True
        self.waits.release()
        return self.lock.acquire(timeout=timeout)


def locks():
    kind = type("Fresh", (Noting,), {"waits": threading.Semaphore(0)})
    return KeyLocks(kind), kind.waits


def started(target, *args):
    thread = threading.Thread(target=target, args=args, daemon=True)
    thread.start()
    return thread


def test_a_waiting_one_gives_up():
    table, _ = locks()
    seen = []
    with table.holding("x"):
        for _ in range(2):
            with pytest.raises(Busy):
                with table.holding("x", timeout=0.01):
                    seen.append("inside")
        seen.append(len(table))
        with pytest.raises(Busy):
            with table.holding("x", timeout=0.01):
                seen.append("inside")
    seen.append(len(table))
    assert seen == [1, 0]


def test_an_error_with_two_waiting():
    table, waits = locks()
    seen, going = [], threading.Event()
    inside = {name: threading.Event() for name in "bcd"}

    def visit(name):
        with table.holding("x"):
            seen.append(f"{name} in")
            inside[name].set()
            assert going.wait(2)
            seen.append(f"{name} out")

    threads = []
    with pytest.raises(KeyError):
        with table.holding("x"):
            threads.append(started(visit, "b"))
            assert waits.acquire(timeout=2)
            raise KeyError("a")
    assert inside["b"].wait(2)
    threads.append(started(visit, "c"))
    waited = waits.acquire(timeout=1.5)
    seen.append(("c waits", waited, len(table)))
    going.set()
    for thread in threads:
        thread.join(2)
    assert (seen, len(table)) == (["b in", ("c waits", True, 1), "b out", "c in", "c out"], 0)


def test_lockers_are_given_once():
    table, waits = locks()
    doors = {number: threading.Event() for number in range(1, 5)}
    at_door = threading.Semaphore(0)

    def door(bank, locker):
        at_door.release()
        assert doors[locker.number].wait(2)

    service = LockerService([Bank.of("north", "SSSS")], door, table)
    threads = [started(service.store, "north", "p1")]
    assert at_door.acquire(timeout=2)
    threads.append(started(service.store, "north", "p2"))
    assert waits.acquire(timeout=2)
    doors[1].set()
    assert at_door.acquire(timeout=2)
    threads.append(started(service.store, "north", "p3"))
    waits.acquire(timeout=1.5)
    for event in doors.values():
        event.set()
    for thread in threads:
        thread.join(2)
    assert service.records == [("in", "north", 1, "p1"), ("in", "north", 2, "p2"), ("in", "north", 3, "p3")]


def test_table_is_empty_in_the_end():
    service = LockerService([Bank.of(f"b{i}", "SM") for i in range(20)])
    numbers = [service.store(f"b{i}", f"p{i}", "SM"[i % 2]) for i in range(20)]
    assert (len(service.locks), sum(numbers), numbers[:4]) == (0, 30, [1, 2, 1, 2])
