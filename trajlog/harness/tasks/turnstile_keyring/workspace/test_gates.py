import threading

import pytest
from gates import Keyring, Station, TicketError, sign

KEYS = {"U1": b"one", "U2": b"two"}
GOOD = str(sign("U2", "AB", 120, b"two"))


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
    server = Server()
    station = Station(Keyring(server), "A", ["west", "east"])
    results = {}
    first = threading.Thread(target=lambda: results.update(west=station.insert_at("west", GOOD)), daemon=True)
    first.start()
    assert server.asked.wait(2)
    second = threading.Thread(target=lambda: results.update(east=station.insert_at("east", GOOD)), daemon=True)
    second.start()
    second.join(0.1)
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
