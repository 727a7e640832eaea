import pytest
from catalog.client import Client
from catalog.errors import ServerBusy
from catalog.fake import FakeServer
from catalog.query import Query


def things(first, last):
    return [{"id": n} for n in range(first, last + 1)]


def listed(stream):
    got = []
    try:
        for item in stream:
            got.append(item["id"])
    except ServerBusy as problem:
        got.append(str(problem))
    return got


def test_later_pages_are_fetched_again():
    server = FakeServer({"s": things(1, 10)}, page_size=3, trouble=[3, 5, 6])
    client = Client(server)
    assert listed(client.items("s")) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    assert [token for _, token in server.requests] == [None, "t3", "t6", "t6", "t9", "t9", "t9"]
    assert client.log == ["retry 1: busy", "retry 1: busy", "retry 2: busy"]


def test_page_that_keeps_failing():
    server = FakeServer({"s": things(1, 6)}, page_size=2, trouble=[2, 3, 4])
    assert listed(Client(server).items("s")) == [1, 2, "busy"]


def test_tries_are_counted_per_page():
    pauses = []
    server = FakeServer({"s": things(1, 4)}, page_size=1, trouble=[1, 3, 5, 7])
    assert listed(Client(server, retries=1, pause=pauses.append).items("s")) == [1, 2, 3, 4]
    assert pauses == [1, 1, 1, 1]


def test_compare_with_a_hiccup_on_either_side():
    server = FakeServer({"a": things(1, 7), "b": things(4, 9)}, page_size=3, trouble=[2, 6])
    assert Client(server).compare("a", "b") == ([1, 2, 3], [8, 9])


def test_query_over_a_hiccup():
    items = [{"id": n, "size": n % 4} for n in range(12)]
    server = FakeServer({"s": items}, page_size=2, trouble=[2, 4])
    query = Query(Client(server), "s").distinct("size").skip(1).limit(3)
    assert (query.values("id"), len(server.requests)) == ([1, 2, 3], 3)


def test_no_retries():
    server = FakeServer({"s": things(1, 4)}, page_size=2, trouble=[2])
    got = []
    with pytest.raises(ServerBusy):
        for item in Client(server, retries=0).items("s"):
            got.append(item["id"] * 11)
    assert got == [11, 22]
    assert len(server.requests) == 2
