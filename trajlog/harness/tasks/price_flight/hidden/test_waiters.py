import threading

from callers import LIMIT_S, Caller, wait_until
from prices.cache import PriceCache


class Supplier:
    """Every fetch waits for `gate`; the first one fails."""

    def __init__(self):
        self.gate = threading.Event()
        self.fetched = []

    def fetch(self, product):
        first = not self.fetched
        self.fetched.append(product)
        assert self.gate.wait(LIMIT_S)
        if first:
            raise ConnectionError("supplier is down")
        return 120


def test_waiting_callers_get_the_failure_and_nothing_is_kept():
    supplier = Supplier()
    cache = PriceCache(supplier.fetch, wait_s=2.0)
    leader = Caller(cache.get, "pen")
    wait_until(lambda: supplier.fetched)
    waiters = [Caller(cache.get, "pen") for _ in range(2)]
    wait_until(lambda: cache.flight.waiting("pen") == 2)
    supplier.gate.set()
    callers = [caller.finish() for caller in (leader, *waiters)]
    assert [type(caller.error) for caller in callers] == [ConnectionError] * 3
    assert cache.num_fetches == 1
    assert cache.known() == []
    assert [cache.get("pen"), cache.num_fetches, *cache.known()] == [120, 2, "pen"]


def test_other_keys_are_not_held_up():
    gate = threading.Event()

    def fetch(product):
        if product == "ink":
            assert gate.wait(LIMIT_S)
        return len(product)

    cache = PriceCache(fetch, wait_s=LIMIT_S)
    slow = Caller(cache.get, "ink")
    wait_until(lambda: cache.flight.under_way() == ["ink"])
    assert cache.get("paper") == 5
    gate.set()
    assert slow.finish().result == 3
