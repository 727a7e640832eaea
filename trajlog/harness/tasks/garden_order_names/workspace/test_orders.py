import pytest
from orders import OrderError, parse_order


def rows(text):
    return [item.row() for item in parse_order(text)]


def test_plain_order():
    assert rows("12 Thyme to bed 3 AND a dozen of sage; 4 red-leaf mint,") == [
        (12, 'thyme', 3), (12, 'sage', None), (4, 'red-leaf mint', None),
    ]


def test_quoted_names():
    assert rows('12 "Black and Blue" to bed 3 and 4 thyme') == [(12, "Black and Blue", 3), (4, "thyme", None)]


def test_same_plants():
    assert rows("2 mint, 3 sage, 5 mint, 1 mint to bed 1") == [(7, "mint", None), (3, "sage", None), (1, "mint", 1)]


def test_errors():
    with pytest.raises(OrderError, match=r"number expected, not ',' \(column 9\)"):
        parse_order("2 mint, , 3 sage")
    with pytest.raises(OrderError, match="bed expected, not '7'"):
        parse_order("2 mint to 7")
