from kv import dump, load


def test_dump():
    assert dump({"a": "1"}) == "a=1"


def test_load():
    d = {"a": "1", "b": "2"}
    assert load("a=1;b=2") == d
