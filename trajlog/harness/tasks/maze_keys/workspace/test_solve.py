import io

import pytest
from maze.grid import BadMaze, read_grid
from maze.search import NoWay, solve
from solve import main


def run(tmp_path, text, *options):
    path = tmp_path / "maze.txt"
    path.write_text(text, encoding="utf-8")
    out = io.StringIO()
    code = main([*options, str(path)], out)
    return code, out.getvalue().splitlines()


def test_way_around_mud(tmp_path):
    assert run(tmp_path, "#######\n#S~~~E#\n#.....#\n#######", "--picture") == (
        0,
        ["1S 4E 1N (cost 6, 2 turns)", "#######", "#S~~~E#", "#>>>>^#", "#######"],
    )


def test_key_on_the_way(tmp_path):
    assert run(tmp_path, "#######\n#S.a.A#\n#####E#") == (0, ["4E 1S (cost 5, 1 turns)", "keys: a"])


def test_key_in_a_dead_end(tmp_path):
    assert run(tmp_path, "#########\n#a.S.A.E#\n#########") == (0, ["2W 6E (cost 8, 1 turns)", "keys: a"])


def test_teleporter():
    solution = solve(read_grid("S.1#1.E"))
    assert (solution.moves, solution.cost) == ("EEJEE", 5)


def test_no_way_and_no_maze():
    with pytest.raises(NoWay, match="no way out"):
        solve(read_grid("aS.B.E"))
    with pytest.raises(BadMaze, match="teleporter 3 has 1 ends"):
        read_grid("S3E")
