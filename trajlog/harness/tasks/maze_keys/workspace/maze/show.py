"""Solutions for people."""

from itertools import groupby

ARROWS = {"N": "^", "E": ">", "S": "v", "W": "<", "J": "*"}


def directions(moves):
    """`EEEN` -> `3E 1N`"""
    return " ".join(f"{len(list(group))}{move}" for move, group in groupby(moves))


def picture(grid, solution):
    """The maze with arrows where the way leaves a cell for the last time."""
    marks = dict(grid.cells)
    for place, move in zip(solution.places, solution.moves):
        if place != grid.start:
            marks[place] = ARROWS[move]
    rows, columns = grid.size
    return "\n".join("".join(marks.get((row, column), " ") for column in range(columns)) for row in range(rows))


def turns(moves):
    """How often the way changes direction; jumps do not count."""
    steps = [move for move in moves if move != "J"]
    return sum(1 for one, other in zip(steps, steps[1:]) if one != other)
