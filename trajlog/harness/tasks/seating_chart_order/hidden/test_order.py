import json

from seating import Chart, dumps, loads


def gala(*wishes):
    chart = Chart().add_table("Stage", 1).add_table("10", 2).add_table("Bar", 1).add_table("9", 3)
    for guest, table in wishes:
        chart.wish(guest, table)
    return chart


def test_named_tables_keep_their_order():
    loaded = loads(dumps(loads(dumps(gala(("Zoe", "Bar"))))))
    assert list(loaded.seat(["Ada", "Ben", "Cy", "Zoe", "Dee"]).items()) == [
        ("Stage", ["Ada"]), ("10", ["Ben", "Cy"]), ("Bar", ["Zoe"]), ("9", ["Dee"]),
    ]


def test_same_text_however_wishes_were_entered():
    first = gala(("Zoe", "9"), ("Ada", "10"), ("Mia", "9"))
    second = gala(("Mia", "9"), ("Zoe", "9"), ("Ada", "10"))
    assert dumps(first) == dumps(second) == dumps(loads(dumps(first)))
    assert list(json.loads(dumps(first))["wishes"]) == ["Ada", "Mia", "Zoe"]


def test_wishes_of_a_loaded_chart():
    loaded = loads(dumps(gala(("Zoe", "9"), ("Ada", "10"))))
    assert loaded.seat(["Ada", "Zoe", "Ben", "Cy"]) == {"Stage": ["Ben"], "10": ["Ada", "Cy"], "9": ["Zoe"]}
    assert [loaded.tables, list(loaded.tables)] == [
        {"Stage": 1, "10": 2, "Bar": 1, "9": 3}, ["Stage", "10", "Bar", "9"],
    ]
