import pytest
from taxes import Household, TaxCode, compare
from taxes.report import effect

HOUSES = [Household("Ames", (30000,), 1), Household("Bell", (80000, 10000), 0, True), Household("Cole", (64000,))]


def test_reform_and_after():
    code = TaxCode("2024")
    seen = [code.tax(40000)]
    with code.reform(allowance=15000):
        seen += [code.tax(40000), code.tax(25000)]
    seen += [code.tax(40000), code.tax(25000)]
    assert (seen, code.num_lookups) == ([5050, 4050, 1400, 5050, 1960], 4)


def test_nested_reforms():
    code = TaxCode("2025")
    seen = []
    with code.reform(brackets=[[0, 20], [30000, 30]]):
        seen.append(code.tax(60000))
        with pytest.raises(KeyError), code.reform(surcharge_from=40000):
            seen.append(code.tax(60000))
            raise KeyError
        seen.append(code.tax(60000))
        with code.reform(allowance=0):
            seen.append(code.tax(60000))
    seen.append(code.tax(60000))
    assert (seen, code.num_lookups) == ([11400, 11970, 11400, 15000, 9320], 4)


def test_effect_of_a_reform():
    code = TaxCode("2024")
    effects = [effect(code, HOUSES, allowance=9000, child_relief=900), effect(code, HOUSES, surcharge_from=None)]
    assert (effects, [house.tax(code) for house in HOUSES]) == (
        [{'Ames': -10, 'Bell': 1000, 'Cole': 525}, {'Ames': 0, 'Bell': 0, 'Cole': -552}],
        [2160, 12600, 11602],
    )


def test_back_and_forth_between_years():
    code = TaxCode("2023")
    first = compare(code, "2023", "2025", [18000, 70000])
    second = compare(code, "2025", "2024", [70000])
    with code.reform(child_relief=500):
        code.tax(18000)
    assert (first, second, code.year, code.num_lookups) == (
        ['18000 1200 840 -360', '70000 13000 11720 -1280'], ['70000 11720 13177 +1457'], '2023', 5,
    )
