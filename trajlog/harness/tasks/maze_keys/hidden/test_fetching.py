import pytest
from maze.grid import read_grid
from maze.search import NoWay, solve
from maze.show import directions, picture


def told(text):
    solution = solve(read_grid(text))
    return directions(solution.moves), solution.cost, solution.keys


def test_two_keys_on_different_sides():
    assert told("##b####\n#a.S.AE\n#######") == ("2W 5E", 7, "a")
    assert told("###########\n#b..S.a..BE\n###########") == ("3W 9E", 12, "ab")


def test_cheap_key_is_the_wrong_one():
    text = "###########\n#a...Sb.B.#\n#####.###.#\n#####...AE#\n###########"
    assert told(text) == ("4E 2S", 6, "b")


def test_chain_of_doors():
    assert told("#######\n#c.A.b#\n#.###.#\n#aS.B.#\n###C###\n###E###") == ("1W 2N 2S 2E 2S", 9, "ac")


def test_detour_is_weighed_against_mud():
    assert told("########\n#a.S~~E#\n##.###.#\n##.A...#\n########") == ("3E", 7, "")
    assert told("#########\n#..S~~~E#\n#.#####.#\n#a.A....#\n#########") == ("4E", 10, "")


def test_keys_do_not_make_it_endless():
    with pytest.raises(NoWay) as failure:
        solve(read_grid("a.b.S.c.D.E"))
    assert str(failure.value) == "no way out"


def test_picture_shows_the_last_visit():
    grid = read_grid("######\n#aS.A#\n####.#\n####E#")
    assert picture(grid, solve(grid)).split("\n") == ["######", "#>S>v#", "####v#", "####E#"]
