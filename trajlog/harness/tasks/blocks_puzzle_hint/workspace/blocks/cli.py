"""`solve FILE`, `count FILE`, `play FILE moves` (a move is rowcolumndigit, `u` undo, `?` hint)"""

from pathlib import Path

from blocks.game import Game
from blocks.grid import Grid, PuzzleError
from blocks.solver import first_solution, num_solutions


def main(argv, out):
    command, path, *words = argv
    text = Path(path).read_text(encoding="utf-8")
    if command == "solve":
        solution = first_solution(Grid.parse(text))
        out.append(str(solution) if solution else "no solution")
        return 0 if solution else 1
    if command == "count":
        count = num_solutions(Grid.parse(text), limit=100)
        out.append("100 or more" if count == 100 else str(count))
        return 0
    if command == "play":
        return _play(Game(text), words, out)
    out.append(f"unknown command {command}")
    return 2


def _play(game, words, out):
    for word in words:
        try:
            if word == "u":
                game.undo()
            elif word == "?":
                answer = game.ask("hint")
                out.append("no way" if answer is None else "try {}{}{}".format(answer[0] + 1, answer[1] + 1, answer[2]))
            else:
                row, column, digit = map(int, word)
                game.enter(row - 1, column - 1, digit)
        except PuzzleError as problem:
            out.append(str(problem))
    out.append(f"{len(game.grid.empty())} cells left")
    return 0 if game.is_finished() else 1
