import threading

import pytest
from callers import LIMIT_S, Caller, wait_until
from prices.cache import PriceCache


def test_price_is_fetched_once_while_fresh():
    now = [0.0]
    cache = PriceCache({"pen": 120}.__getitem__, ttl_s=10, clock=lambda: now[0])
    assert [cache.get("pen"), cache.get("pen")] == [120, 120]
    assert cache.num_fetches == 1
    now[0] = 10.0
    assert cache.known() == []
    assert cache.get("pen") == 120
    assert cache.num_fetches == 2


def test_callers_at_the_same_time_share_one_fetch():
    gate = threading.Event()

    def fetch(product):
        assert gate.wait(LIMIT_S)
        return 120

    cache = PriceCache(fetch, wait_s=LIMIT_S)
    callers = [Caller(cache.get, "pen") for _ in range(4)]
    wait_until(lambda: cache.flight.waiting("pen") == 3)
    gate.set()
    assert [caller.finish().result for caller in callers] == [120] * 4
    assert cache.num_fetches == 1


def test_price_is_fetched_again_after_a_failure():
    answers = iter([ConnectionError("supplier is down"), 120])

    def fetch(product):
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    cache = PriceCache(fetch, wait_s=0.1)
    with pytest.raises(ConnectionError):
        cache.get("pen")
    assert cache.get("pen") == 120
    assert cache.flight.under_way() == []
