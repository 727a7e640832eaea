from field import Field, Runner
from results import Results

PEOPLE = [(7, "Gil", "Oak", 1970), (5, "Eve", "Elm", 1972), (9, "Ida", "Ash", 1995), (6, "Fay", "Oak", 1975),
          (8, "Hal", "Ash", 1971), (10, "Jon", "Elm", 1996)]
FIELD = Field([Runner(*person) for person in PEOPLE], 2024)
TEXT = "8 10000\n5 10000\n7 10000\n10 10020\n6 10020\n9 10020\n"


def names(results):
    return [result.name for result in results]


def test_points_of_all():
    results = Results(FIELD, TEXT)
    assert [(result.name, result.points) for result in results.by_points()] == [
        ('Hal', 965), ('Eve', 965), ('Gil', 965), ('Jon', 965), ('Fay', 965), ('Ida', 965),
    ]


def test_classes():
    found = Results(FIELD, TEXT).by_class()
    assert {name: names(results) for name, results in found.items()} == {
        'M40': ['Fay'], 'M50': ['Hal', 'Eve', 'Gil'], 'open': ['Jon', 'Ida'],
    }


def test_teams():
    assert [Results(FIELD, TEXT).teams(scorers) for scorers in (1, 2)] == [
        [('Ash', 965), ('Elm', 965), ('Oak', 965)], [('Ash', 1930), ('Elm', 1930), ('Oak', 1930)],
    ]


def test_slowest():
    results = Results(FIELD, TEXT + "7 DNF\n")
    assert [names(results.slowest(count)) for count in (1, 2, 4)] == [
        ['Jon'], ['Jon', 'Fay'], ['Jon', 'Fay', 'Ida', 'Hal'],
    ]
    assert names(results.fastest()) == ['Hal', 'Eve', 'Jon', 'Fay', 'Ida']
