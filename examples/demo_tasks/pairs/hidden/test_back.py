from kv import dump, load


def test_round_trip():
    text = dump({"host": "a:80", "user": "bo"})
    assert load(text) == {"host": "a:80", "user": "bo"}
