import pytest
from taxes import Household, TaxCode, UnknownYear, compare, summary
from taxes.report import table


def test_brackets():
    code = TaxCode("2023")
    assert [code.tax(income) for income in (9000, 15000, 40000, 90000)] == [0, 750, 5500, 21400]


def test_same_rules_are_looked_up_once():
    code = TaxCode("2025")
    assert [code.tax(income) for income in (30000, 50000, 30000, 50000)] == [2520, 6920, 2520, 6920]
    assert code.num_lookups == 2


def test_two_years():
    assert compare(TaxCode("2023"), "2024", "2025", [20000, 50000]) == [
        '20000 1260 1120 -140', '50000 7550 6920 -630',
    ]


def test_household():
    pair = Household("pair", (50000, 20000), 2, splitting=True)
    assert (pair.tax(TaxCode("2023")), pair.rate(TaxCode("2023"))) == (7500, 10.7)
    assert summary(TaxCode("2024"), [Household("one", (30000,))]) == ['2024:', 'one: 2660 (8.9 %)', 'sum 2660']


def test_unknown_year():
    code = TaxCode("2023")
    with pytest.raises(UnknownYear, match="1999"):
        code.use("1999")
    assert code.year == "2023"


def test_table():
    assert table(TaxCode("2025"), 10000, 90000, 40000) == [
        'tax table 2025', '   10000       0   0 %', '   50000    6920  24 %', '   90000   18680  42 %',
    ]
