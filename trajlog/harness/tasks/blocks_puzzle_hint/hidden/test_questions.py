from blocks.cli import main
from blocks.game import Game
from blocks.grid import Grid
from blocks.hints import difficulty, hint
from blocks.solver import is_solvable, num_solutions, solutions

OPEN = """
......
....2.
.1...4
5..6..
......
..63.5
"""


def test_hints_do_not_change_the_grid():
    game = Game(OPEN)
    before = str(game.grid)
    answers = [game.ask("hint"), game.ask("hint"), game.ask("level")]
    assert str(game.grid) == before
    assert answers == [(0, 0, 2), (0, 0, 2), "open"]


def test_playing_with_hints(tmp_path):
    path, out = tmp_path / "puzzle.txt", []
    path.write_text(OPEN)
    assert main(["play", str(path), "?", "111", "?", "u", "161", "112", "?"], out) == 1
    assert out == ["try 112", "try 123", "try 126", "26 cells left"]


def test_loop_that_is_still_going_on():
    grid = Grid.parse(OPEN)
    before = str(grid)
    running = solutions(grid)
    first = next(running)
    second = next(running)
    assert str(grid) == before
    assert [str(first).split()[0], str(second).split()[0], num_solutions(grid, 50)] == ["264153", "231456", 18]
    assert (is_solvable(grid), difficulty(grid), str(grid) == before) == (True, 28, True)


def test_moves_during_a_loop():
    grid = Grid.parse(OPEN)
    running = solutions(grid)
    total = num_solutions(grid)
    first = next(running)
    row, column, digit = hint(grid)
    grid.enter(row, column, digit)
    first.put(0, 0, 0)
    left = list(running)
    assert len(left) == total - 1
    assert (total, num_solutions(grid), str(left[-1]).split(), grid[row, column]) == (
        18, 15, ["235146", "164523", "613254", "542631", "351462", "426315"], 2,
    )
