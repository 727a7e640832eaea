import pytest
from currencies import UnknownCurrency
from money import column, formatters_made, money


def test_defaults():
    assert [money(1234.5, code) for code in ("EUR", "USD", "JPY")] == ["1,234.50 EUR", "$1,234.50", "1,234 JPY"]


def test_options_after_the_defaults():
    assert money(-2500, "USD") == "-$2,500.00"
    assert money(-2500, "USD", separator="'") == "-$2'500.00"


def test_formatters_are_kept():
    money(1, "EUR")
    before = formatters_made()
    assert column([5, 1200], "EUR") == ["    5.00 EUR", "1,200.00 EUR"]
    assert formatters_made() == before


def test_errors():
    with pytest.raises(UnknownCurrency):
        money(1, "XXX")
    with pytest.raises(TypeError, match="unknown option 'colour'"):
        money(1, "EUR", colour="red")
