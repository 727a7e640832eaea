import pytest
from sessions.backend import MemoryBackend
from sessions.session import SessionClosed
from sessions.shop import Shop
from sessions.store import SessionStore


def make():
    backend = MemoryBackend(lambda: 5)
    return backend, SessionStore(backend)


def test_refused_pages():
    backend, store = make()
    shop = Shop(store)
    requests = [("cart",), ("login", "ada"), ("order",), ("add", "jam"), ("order",), ("order",)]
    answers = [shop.request("x", *words) for words in requests]
    assert answers == [
        "refused: please log in",
        "hello ada",
        "refused: the cart is empty",
        "1 in the cart",
        "ordered 1",
        "refused: the cart is empty",
    ]
    assert (store.in_use(), store.peek("x")) == ([], {"user": "ada", "visits": 6})


def test_notes_and_logout():
    backend, store = make()
    shop = Shop(store)
    shop.request("x", "login", "ada")
    answers = [shop.request("x", "add", item) for item in ("tea", "jam", "oil", "rye")]
    middle = store.peek("x")
    answers.append(shop.request("x", "logout"))
    assert answers[1:] == ["2 in the cart", "3 in the cart | free delivery", "4 in the cart", "bye"]
    assert (middle["visits"], backend.keys(), store.in_use()) == (5, [], [])


def test_written_back_once_at_the_end():
    backend, store = make()
    with store.open("x") as first:
        with store.open("x") as second, store.open("x") as third:
            third["n"] = 1
            states = [first is second is third, first.closed, backend.writes]
        second["n"] = 2
        states += [first.closed, backend.writes, store.in_use()]
    assert (states, backend.writes, first.closed) == ([True, False, 0, False, 0, ["x"]], 1, True)


def test_error_within():
    backend, store = make()
    with pytest.raises(ZeroDivisionError), store.open("x") as outer:
        outer["a"] = "kept"
        with store.open("x") as inner:
            inner["b"] = 1 // 0
    seen = [store.peek("x"), store.in_use()]
    with store.open("x") as again:
        again["c"] = "new"
    with pytest.raises(SessionClosed):
        again["d"] = "late"
    assert (seen, store.peek("x")) == ([{"a": "kept"}, []], {"a": "kept", "c": "new"})


def test_visitors_side_by_side():
    backend, store = make()
    with store.open("x") as x:
        with store.open("y") as y:
            y["n"] = 1
            with store.open("x") as again:
                again["n"] = 2
            x["m"] = 3
        keys = backend.keys()
        x["m"] += 1
    assert (keys, store.peek("x"), store.peek("y")) == (["y"], {"n": 2, "m": 4}, {"n": 1})
