import threading

import pytest
from gates import Keyring, Station, TicketError, sign

KEYS = {"U1": b"one", "U2": b"two"}
GOOD = str(sign("U2", "AB", 120, b"two"))


class WatchedLock:
    """Tells when somebody has to wait for it."""

    def __init__(self, settled):
        self.settled = settled
        self.lock = threading.Lock()

    def __enter__(self):
        if not self.lock.acquire(blocking=False):
            self.settled.release()
            assert self.lock.acquire(timeout=2)

    def __exit__(self, *exc_info):
        self.lock.release()


class Server:
    """Answers once it is let go."""

    def __init__(self, error=None):
        self.asked = threading.Event()
        self.go = threading.Event()
        self.error = error

    def __call__(self):
        self.asked.set()
        assert self.go.wait(2)
        if self.error:
            raise self.error
        return list(KEYS.items())


def test_one_gate():
    station = Station(Keyring(KEYS.items), "A", ["west"])
    texts = [GOOD, GOOD[:-1] + "x", str(sign("U1", "BC", 120, b"one")), str(sign("U1", "A", 99, b"one")), "U1|A"]
    assert [station.insert_at("west", text) for text in texts] == [True, False, False, False, False]
    assert station.turnstiles["west"].refused == ["not genuine", "not valid in zone A", "out of date", "not readable"]


def test_second_gate_while_keys_are_fetched():
    server, settled = Server(), threading.Semaphore(0)
    station = Station(Keyring(server, lambda: WatchedLock(settled)), "A", ["west", "east"])
    results = {}

    def passenger(name):
        results[name] = station.insert_at(name, GOOD)
        settled.release()

    first = threading.Thread(target=passenger, args=("west",), daemon=True)
    first.start()
    assert server.asked.wait(2)
    second = threading.Thread(target=passenger, args=("east",), daemon=True)
    second.start()
    assert settled.acquire(timeout=2)  # waits or is through
    server.go.set()
    first.join(2)
    second.join(2)
    assert (results, station.keyring.fetches) == ({"west": True, "east": True}, 1)


def test_unknown_line():
    station = Station(Keyring(KEYS.items), "A", ["west"])
    with pytest.raises(TicketError, match="no key for line U9"):
        station.turnstiles["west"].check("U9|A|120|00")


def test_keys_are_fetched_once():
    station = Station(Keyring(KEYS.items), "B", ["west", "east"])
    station.insert_at("west", GOOD)
    results = station.together({"west": GOOD, "east": GOOD})
    assert (sorted(results.items()), station.keyring.fetches) == ([("east", True), ("west", True)], 1)
