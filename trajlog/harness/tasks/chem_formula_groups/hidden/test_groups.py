from chem.equation import check_lines
from chem.formula import parse
from chem.weights import hill, molar_weight


def test_crystal_water():
    assert [dict(parse(text)) for text in ("CuSO4.5H2O", "Na2CO3·10H2O", "2H2O.3O2")] == [
        {"Cu": 1, "S": 1, "O": 9, "H": 10}, {"Na": 2, "C": 1, "O": 13, "H": 20}, {"H": 4, "O": 8},
    ]


def test_groups_with_elements_from_outside():
    assert [dict(parse(text)) for text in ("CH3(CH2)4CH3", "O(O(O)2)3O", "Co3[Co(CN)6]2", "(NH4)2HPO4")] == [
        {"C": 6, "H": 14}, {"O": 11}, {"Co": 5, "C": 12, "N": 12}, {"N": 2, "H": 9, "P": 1, "O": 4},
    ]


def test_weights():
    assert [molar_weight(text) for text in ("MgSO4.7H2O", "K4[Fe(CN)6].3H2O", "KAl(SO4)2.12H2O")] == [
        246.466, 422.39, 474.372,
    ]
    assert [hill(text) for text in ("CH3CH2C(CH3)3", "[Cu(NH3)4]SO4.H2O")] == ["C6H14", "CuH14N4O5S"]


def test_equations_with_hydrates():
    lines = ["CuSO4.5H2O -> CuSO4 + 5 H2O", "2 C(CH3)4 + 16 O2 -> 10 CO2 + 12 H2O", "MgSO4.7H2O -> MgSO4 + 7 H2O"]
    assert list(check_lines(lines)) == [
        "ok  CuSO4.5H2O -> CuSO4 + 5 H2O", "ok  2 C(CH3)4 + 16 O2 -> 10 CO2 + 12 H2O",
        "ok  MgSO4.7H2O -> MgSO4 + 7 H2O",
    ]
