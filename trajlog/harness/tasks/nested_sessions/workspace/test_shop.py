import pytest
from sessions.backend import MemoryBackend
from sessions.session import SessionClosed
from sessions.shop import Shop
from sessions.store import SessionStore


class Clock:
    now = 0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store(clock):
    return SessionStore(MemoryBackend(clock))


def test_values_are_kept_for_a_while(clock, store):
    with store.open("s1") as session:
        session["lang"] = "de"
    seen = [store.peek("s1")]
    clock.now = 1800
    seen.append(store.peek("s1"))
    assert seen == [{"lang": "de"}, {}]


def test_closed_session_takes_no_changes(store):
    with store.open("s1") as session:
        session["n"] = [1]
    with pytest.raises(SessionClosed, match="session s1 is closed"):
        session["n"] = 2
    assert store.peek("s1") == {"n": [1]}


def test_block_within_a_block(store):
    with store.open("s1") as outer:
        outer["a"] = 1
        with store.open("s1") as inner:
            inner["b"] = 2
        outer["c"] = 3
    assert store.peek("s1") == {"a": 1, "b": 2, "c": 3}


def test_visit(store):
    shop = Shop(store)
    answers = [shop.request("s1", page, *words) for page, *words in (["login", "ada"], ["add", "tea"], ["cart"])]
    assert answers == ["hello ada", "1 in the cart", "tea"]
    assert store.peek("s1") == {"user": "ada", "visits": 3, "cart": ["tea"]}
