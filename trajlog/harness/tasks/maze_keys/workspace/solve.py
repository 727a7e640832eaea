"""Solve a maze from a file: solve.py [--picture] FILE"""

import argparse
import sys

from maze.grid import BadMaze, read_grid
from maze.search import NoWay, solve
from maze.show import directions, picture, turns


def main(argv, out=sys.stdout):
    parser = argparse.ArgumentParser(prog="solve")
    parser.add_argument("file")
    parser.add_argument("--picture", action="store_true")
    args = parser.parse_args(argv)
    try:
        with open(args.file, encoding="utf-8") as file:
            grid = read_grid(file.read())
        solution = solve(grid)
    except (BadMaze, NoWay) as problem:
        print(problem, file=out)
        return 1
    print(f"{directions(solution.moves)} (cost {solution.cost}, {turns(solution.moves)} turns)", file=out)
    if solution.keys:
        print(f"keys: {' '.join(solution.keys)}", file=out)
    if args.picture:
        print(picture(grid, solution), file=out)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
