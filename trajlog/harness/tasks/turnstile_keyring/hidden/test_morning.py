import threading

from gates import Keyring, Station, sign


class Server:
    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = threading.Event()
        self.go = threading.Event()

    def __call__(self):
        self.asked.set()
        assert self.go.wait(2)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer.items()


def rush(station, server, tickets):
    """All gates at once; the server answers when every passenger has had time to ask."""
    results = {}
    server.asked.clear()
    server.go.clear()
    threads = []
    for name, text in tickets.items():
        threads.append(threading.Thread(
            target=lambda n=name, t=text: results.update({n: station.insert_at(n, t)}), daemon=True))
        threads[-1].start()
        assert server.asked.wait(2)
    threads[-1].join(0.1)
    server.go.set()
    for thread in threads:
        thread.join(2)
    return dict(sorted(results.items()))


def ticket(key):
    return str(sign("S7", "A", 300, key))


def test_four_gates_one_fetch():
    server = Server({"S7": b"k1"})
    station = Station(Keyring(server), "A", "abcd")
    results = rush(station, server, {name: ticket(b"k1") for name in "abcd"})
    assert (results, station.keyring.fetches) == ({"a": True, "b": True, "c": True, "d": True}, 1)


def test_new_keys():
    server = Server({"S7": b"k1"}, {"S7": b"k2"})
    keyring = Keyring(server)
    station = Station(keyring, "A", "abc")
    first = rush(station, server, {"a": ticket(b"k1"), "b": ticket(b"k2")})
    keyring.renew()
    second = rush(station, server, {"a": ticket(b"k2"), "b": ticket(b"k1"), "c": ticket(b"k2")})
    assert (first, second, keyring.fetches) == ({"a": True, "b": False}, {"a": True, "b": False, "c": True}, 2)


def test_a_failed_fetch():
    server = Server(OSError("no route"), {"S7": b"k1"})
    station = Station(Keyring(server), "A", "ab")
    first = rush(station, server, {"a": ticket(b"k1")})
    second = rush(station, server, {"a": ticket(b"k1"), "b": ticket(b"k1")})
    assert (first, second, station.counts(), station.turnstiles["a"].refused) == (
        {'a': False}, {'a': True, 'b': True}, {'a': (1, 1), 'b': (1, 0)}, ['no keys: no route'],
    )


def test_lines_wait_as_well():
    server = Server({"S7": b"1", "S2": b"2"})
    keyring = Keyring(server)
    found = []
    threads = [threading.Thread(target=lambda: found.append(keyring.lines()), daemon=True) for _ in range(2)]
    threads[0].start()
    assert server.asked.wait(2)
    threads[1].start()
    threads[1].join(0.1)
    server.go.set()
    for thread in threads:
        thread.join(2)
    assert found == [["S2", "S7"], ["S2", "S7"]]
