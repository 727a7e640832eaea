import pytest
from blocks.cli import main
from blocks.game import Game
from blocks.grid import PuzzleError

PUZZLE = """
.....3
3..42.
61...4
5.263.
.3...2
..63.5
"""


def test_moves_and_undo():
    game = Game(PUZZLE).enter(0, 0, 2).enter(0, 1, 6).undo()
    assert str(game.grid).split()[:2] == ["2....3", "3..42."]
    with pytest.raises(PuzzleError, match="3 does not fit into 1/2"):
        game.enter(0, 1, 3)


def test_solve(tmp_path):
    path, out = tmp_path / "puzzle.txt", []
    path.write_text(PUZZLE)
    assert (main(["solve", str(path)], out), main(["count", str(path)], out)) == (0, 0)
    assert out[0].split() == ["264513", "351426", "613254", "542631", "435162", "126345"]


def test_question_and_move():
    game = Game(PUZZLE)
    before = str(game.grid)
    assert (game.ask("possible"), game.ask("unique")) == (True, True)
    assert str(game.grid) == before
    game.enter(0, 0, 2)
    assert len(game.grid.empty()) == 19


def test_no_solution(tmp_path):
    path, out = tmp_path / "puzzle.txt", []
    path.write_text("12345.\n.....6\n" + "......\n" * 4)
    assert main(["solve", str(path)], out) == 1
    assert out == ["no solution"]
