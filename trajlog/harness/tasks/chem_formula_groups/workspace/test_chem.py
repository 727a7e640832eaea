import pytest
from chem.equation import check_lines, parse_equation
from chem.formula import parse
from chem.scanner import FormulaError
from chem.weights import hill, molar_weight, shares


def test_simple_formulas():
    assert dict(parse("Al2(SO4)3")) == {"Al": 2, "S": 3, "O": 12}
    assert [molar_weight(text) for text in ("H2O", "Ca(OH)2", "NaCl")] == [18.015, 74.092, 58.44]
    assert shares("H2O") == {"H": 11.2, "O": 88.8}


def test_hill_order():
    assert [hill(text) for text in ("HOC2H5", "NaHCO3", "H2SO4")] == ["C2H6O", "CHNaO3", "H2O4S"]


def test_prussian_blue():
    assert dict(parse("Fe4[Fe(CN)6]3")) == {"Fe": 7, "C": 18, "N": 18}


def test_equations():
    assert list(check_lines(["2 H2 + O2 -> 2 H2O", "H2 + O2 -> H2O"])) == [
        "ok  2 H2 + O2 -> 2 H2O",
        "NOT H2 + O2 -> H2O: O -1",
    ]
    assert parse_equation("Zn + 2 HCl -> ZnCl2 + H2").is_balanced


def test_bad_formulas():
    messages = []
    for text in ("Ca(OH", "Xx2", "H2)", "()", "H?"):
        with pytest.raises(FormulaError) as caught:
            parse(text)
        messages.append(str(caught.value))
    assert messages == [
        "')' is missing at 5", 'no element Xx at 0', "unexpected ')' at 2",
        'an element is missing at 1', "unexpected '?' at 1",
    ]
