import pytest
from catalog.client import Client
from catalog.errors import NotFound
from catalog.export import to_csv, to_table
from catalog.fake import FakeServer
from catalog.query import Query


def books(count):
    return [{"id": n, "kind": "novel" if n % 3 else "atlas"} for n in range(1, count + 1)]


def test_all_pages_are_listed():
    server = FakeServer({"new": books(8)})
    assert [item["id"] for item in Client(server).items("new")] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert server.requests == [("new", None), ("new", "t3"), ("new", "t6")]


def test_first_page_is_fetched_again():
    client = Client(FakeServer({"new": books(5)}, trouble=[1, 2]))
    assert client.totals("new", "kind") == {"novel": 4, "atlas": 1}
    assert client.log == ["retry 1: busy", "retry 2: busy"]


def test_unknown_shelf_is_not_retried():
    server = FakeServer({})
    with pytest.raises(NotFound):
        Client(server).first("old", 2)
    assert server.requests == [("old", None)]


def test_query_and_export():
    client = Client(FakeServer({"new": books(7)}))
    assert to_csv(Query(client, "new").where(kind="novel").skip(1).limit(2), ["id", "kind"]) == (
        "id,kind\n"
        "2,novel\n"
        "4,novel\n"
    )
    assert to_table(client.first("new", 3), ["kind", "id"]) == ["kind  id", "novel 1", "novel 2", "atlas 3"]


def test_listing_is_lazy():
    server = FakeServer({"new": books(9)})
    client = Client(server)
    assert client.find("new", kind="atlas") == {"id": 3, "kind": "atlas"}
    assert len(server.requests) == 1
