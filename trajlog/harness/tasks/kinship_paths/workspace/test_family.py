import pytest
from family.kinship import explain, pedigree, relation
from family.people import FamilyError, Tree

TEXT = """
Otto 1890
Emma 1893
Karl 1920 < Otto + Emma
Vera 1924 < Otto
Ida 1950 < Karl
Max 1955 < Vera
"""


def test_pedigree():
    assert pedigree(Tree.parse(TEXT), "Ida") == (
        "Ida\n"
        "  Karl\n"
        "    Otto\n"
        "    Emma"
    )


def test_cousins():
    assert explain(Tree.parse(TEXT), "Ida", "Max") == 'Ida and Max: cousins\n  Otto: Karl > Ida | Vera > Max'


def test_children():
    assert Tree.parse(TEXT).children("Otto") == ["Karl", "Vera"]


def test_relations():
    assert [relation(3, 0), relation(1, 3), relation(2, 4), relation(3, 3)] == [
        "great-grandparent",
        "great-aunt or uncle",
        "cousins of degree 1, 2 removed",
        "cousins of degree 2",
    ]


def test_parents_are_older():
    with pytest.raises(FamilyError, match="Tim is older than Max"):
        Tree.parse(TEXT).add("Tim", 1950, ["Max"])
