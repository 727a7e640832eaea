from seating import Seating, Section
from seating.duties import duties

TUTTI = ["Ann", "Bo", "Cy", "Di", "Em"]


def made():
    return Seating("evening", "Roth", [
        Section.of("celli", "right", TUTTI),
        Section.of("horns", "left", ["Ida", "Jo", "Kai"], per_desk=1),
    ])


def test_swap_in_the_first_seating_only():
    evening = made()
    matinee = evening.variant("matinee")
    evening.swap("celli", "Ann", "Di")
    matinee.swap("horns", "Ida", "Kai")
    assert (evening.lines(), matinee.lines()) == (
        ['celli (right): 1:Di/Bo 2:Cy/Ann 3:Em', 'horns (left): 1:Ida 2:Jo 3:Kai'],
        ['celli (right): 1:Ann/Bo 2:Cy/Di 3:Em', 'horns (left): 1:Kai 2:Jo 3:Ida'],
    )


def test_kept_state_can_be_restored_twice():
    evening = made()
    evening.keep("premiere")
    seen = []
    for player in ("Ann", "Cy"):
        evening.dismiss("celli", player)
        seen.append(evening.lines()[0])
        evening.restore("premiere")
    evening.substitute("horns", "Jo", "Lea")
    seen.append(evening.lines())
    assert (seen, evening.history()) == (
        ['celli (right): 1:Bo/Cy 2:Di/Em 3:-', 'celli (right): 1:Ann/Bo 2:Di/Em 3:-',
        ['celli (right): 1:Ann/Bo 2:Cy/Di 3:Em', 'horns (left): 1:Ida 2:Lea 3:Kai']],
        {'premiere': ['celli (right): 1:Ann/Bo 2:Cy/Di 3:Em', 'horns (left): 1:Ida 2:Jo 3:Kai']},
    )


def test_variant_of_a_variant_with_divisi():
    evening = made()
    tour = evening.variant("tour", "Sand", {"celli": 2})
    tour.divide("celli", 1)
    encore = tour.variant("encore", reduce={"horns": 1})
    encore.substitute("celli", "Cy", "Max")
    tour.dismiss("celli", "Ann")
    assert [(plan.conductor, plan.lines()) for plan in (evening, tour, encore)] == [
        ('Roth', ['celli (right): 1:Ann/Bo 2:Cy/Di 3:Em', 'horns (left): 1:Ida 2:Jo 3:Kai']),
        ('Sand', ['celli (right): 1:Bo/Cy* 2:Di', 'horns (left): 1:Ida 2:Jo 3:Kai']),
        ('Sand', ['celli (right): 1:Ann/Bo* 2:Max/Di', 'horns (left): 1:Ida']),
    ]


def test_sections_given_to_two_seatings():
    sections = [Section.of("celli", "right", TUTTI), Section.of("horns", "left", ["Ida"])]
    one, two = Seating("one", "Roth", sections), Seating("two", "Sand", sections)
    one.substitute("celli", "Em", "Nat")
    one.dismiss("horns", "Ida")
    assert (one.lines(), two.lines(), duties([one, two])) == (
        ['celli (right): 1:Ann/Bo 2:Cy/Di 3:Nat', 'horns (left): 1:-'],
        ['celli (right): 1:Ann/Bo 2:Cy/Di 3:Em', 'horns (left): 1:Ida'],
        {'Ann': 2, 'Bo': 2, 'Cy': 2, 'Di': 2, 'Em': 1, 'Ida': 1, 'Nat': 1},
    )
