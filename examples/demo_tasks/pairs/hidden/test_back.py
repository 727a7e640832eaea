from kv import dump, load


def test_round_trip():
    d = {"host": "a:80", "user": "bo"}
    assert load(dump(d)) == d
