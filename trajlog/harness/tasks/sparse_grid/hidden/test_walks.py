from sparse import parse, show
from sparse.arithmetic import gram, power
from sparse.search import closest_rows, first_cell


def sample():
    return parse("0,0=2 0,3=1 1,1=3 2,0=-1 2,2=5 2,3=4 3,3=6", 4, 4)


def test_gram():
    assert show(gram(sample())) == "5 0 2 6 / 0 9 0 0 / 2 0 42 24 / 6 0 24 36"


def test_power():
    assert [show(power(sample(), 2)), show(power(parse("0,1=1 1,2=1 2,0=2", 3, 3), 4))] == [
        "4 0 0 8 / 0 9 0 0 / -7 0 25 43 / 0 0 0 36",
        "0 2 0 / 0 0 2 / 4 0 0",
    ]


def test_closest_rows():
    assert closest_rows(sample()) == [(0, 2, 2), (1, -1, 0), (2, 0, 2), (3, 0, 1)]


def test_search_inside_a_walk():
    m = sample()
    got = []
    for _, (row, column, value) in zip(range(10), m):
        got.append((row, column, first_cell(m, lambda other: other > value)))
    assert got == [
        (0, 0, (1, 1)),
        (0, 3, (0, 0)),
        (1, 1, (2, 2)),
        (2, 0, (0, 0)),
        (2, 2, (3, 3)),
        (2, 3, (2, 2)),
        (3, 3, None),
    ]


def test_two_walks_in_step_and_an_abandoned_one():
    m = sample()
    for _ in m:
        break
    assert [one[2] * other[2] for one, other in zip(m, m)] == [4, 1, 9, 1, 25, 16, 36]


def test_walk_sees_the_cells_of_its_start():
    m = parse("0,0=1 0,1=2 1,1=3", 2, 2)
    seen = []
    for row, column, value in m:
        m[1 - row, 1 - column] = value + 10
        seen.append((row, column))
    assert seen == [(0, 0), (0, 1), (1, 1)]
