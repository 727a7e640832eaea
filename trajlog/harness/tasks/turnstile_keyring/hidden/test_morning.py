import threading

from gates import Keyring, Station, sign


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
    def __init__(self, *answers):
        self.answers = list(answers)
        self.settled = threading.Semaphore(0)
        self.asked = threading.Event()
        self.go = threading.Event()

    def __call__(self):
        self.asked.set()
        assert self.go.wait(2)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer.items()


def start(server, settled, works):
    """The first one runs until it fetches, the others until they wait or are through; then the server answers."""
    server.asked.clear()
    server.go.clear()
    while settled.acquire(blocking=False):
        pass

    def run(work):
        work()
        settled.release()

    threads = [threading.Thread(target=run, args=(work,), daemon=True) for work in works]
    threads[0].start()
    assert server.asked.wait(2)
    for thread in threads[1:]:
        thread.start()
        assert settled.acquire(timeout=2)
    server.go.set()
    for thread in threads:
        thread.join(2)


def rush(station, server, tickets):
    results = {}

    def passenger(name, text):
        results[name] = station.insert_at(name, text)

    start(server, server.settled, [lambda pair=pair: passenger(*pair) for pair in tickets.items()])
    return dict(sorted(results.items()))


def keyring_of(server):
    return Keyring(server, lambda: WatchedLock(server.settled))


def ticket(key):
    return str(sign("S7", "A", 300, key))


def test_four_gates_one_fetch():
    server = Server({"S7": b"k1"})
    station = Station(keyring_of(server), "A", "abcd")
    results = rush(station, server, {name: ticket(b"k1") for name in "abcd"})
    assert (results, station.keyring.fetches) == ({"a": True, "b": True, "c": True, "d": True}, 1)


def test_new_keys():
    server = Server({"S7": b"k1"}, {"S7": b"k2"})
    keyring = keyring_of(server)
    station = Station(keyring, "A", "abc")
    first = rush(station, server, {"a": ticket(b"k1"), "b": ticket(b"k2")})
    keyring.renew()
    second = rush(station, server, {"a": ticket(b"k2"), "b": ticket(b"k1"), "c": ticket(b"k2")})
    assert (first, second, keyring.fetches) == ({"a": True, "b": False}, {"a": True, "b": False, "c": True}, 2)


def test_a_failed_fetch():
    server = Server(OSError("no route"), {"S7": b"k1"})
    station = Station(keyring_of(server), "A", "ab")
    first = rush(station, server, {"a": ticket(b"k1")})
    second = rush(station, server, {"a": ticket(b"k1"), "b": ticket(b"k1")})
    assert (first, second, station.counts(), station.turnstiles["a"].refused) == (
        {'a': False}, {'a': True, 'b': True}, {'a': (1, 1), 'b': (1, 0)}, ['no keys: no route'],
    )


def test_lines_wait_as_well():
    server = Server({"S7": b"1", "S2": b"2"})
    keyring = keyring_of(server)
    found = []
    start(server, server.settled, [lambda: found.append(keyring.lines())] * 2)
    assert found == [["S2", "S7"], ["S2", "S7"]]
