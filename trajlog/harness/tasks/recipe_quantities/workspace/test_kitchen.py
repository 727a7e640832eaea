import pytest
from kitchen.lines import LineError, parse_line, shopping_list


def read(line):
    item = parse_line(line)
    return str(item.amount), item.unit, item.name


def test_amounts():
    assert [read(line) for line in ("1 1/2 cups milk", "\u00bd tsp salt", "1\u00bd l water", "0.25 kg rice")] == [
        ("3/2", "cups", "milk"), ("1/2", "tsp", "salt"), ("3/2", "l", "water"), ("1/4", "kg", "rice")
    ]


def test_names_that_begin_like_a_unit():
    assert [read("3 large eggs"), read("2 garlic cloves")] == [("3", None, "large eggs"), ("2", None, "garlic cloves")]


def test_unit_without_a_blank():
    assert [read("500g flour"), read("2 CL oil")] == [("500", "g", "flour"), ("2", "cl", "oil")]


def test_shopping_list():
    assert shopping_list(["500 g flour", "1 kg flour", "salt"]) == {"flour": [("1500", "g")], "salt": [("0", "")]}


def test_no_name():
    with pytest.raises(LineError):
        parse_line("3 g")
