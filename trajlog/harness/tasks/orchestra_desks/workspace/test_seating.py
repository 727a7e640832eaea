import pytest
from seating import Seating, SeatingError, Section
from seating.duties import absent, duties


@pytest.fixture
def evening():
    return Seating("evening", "Roth", [
        Section.of("violas", "right", ["Ann", "Bo", "Cy", "Di"]),
        Section.of("oboes", "middle", ["Eve", "Flo"], per_desk=1),
    ])


def test_lines(evening):
    evening.divide("violas", 2)
    assert evening.lines() == ["violas (right): 1:Ann/Bo 2:Cy/Di*", "oboes (middle): 1:Eve 2:Flo"]


def test_variant_with_substitute(evening):
    matinee = evening.variant("matinee", "Sand", {"violas": 1})
    matinee.substitute("violas", "Bo", "Gus")
    assert matinee.lines() == ["violas (right): 1:Ann/Gus", "oboes (middle): 1:Eve 2:Flo"]
    assert evening.lines() == ["violas (right): 1:Ann/Bo 2:Cy/Di", "oboes (middle): 1:Eve 2:Flo"]


def test_dismissed_player(evening):
    evening.dismiss("violas", "Bo")
    assert evening.section("violas").players() == ["Ann", "Cy", "Di"]
    assert [desk.label() for desk in evening.section("violas").desks] == ["1:Ann/Cy", "2:Di"]
    with pytest.raises(SeatingError, match="Bo does not play in violas"):
        evening.swap("violas", "Bo", "Ann")


def test_duties(evening):
    other = Seating("chamber", "Roth", [Section.of("oboes", "left", ["Flo"])])
    assert duties([evening, other]) == {"Flo": 2, "Ann": 1, "Bo": 1, "Cy": 1, "Di": 1, "Eve": 1}
    assert absent(other, {"oboes": ["Eve", "Flo"], "harp": ["Hal"]}) == {"oboes": ["Eve"], "harp": ["Hal"]}
