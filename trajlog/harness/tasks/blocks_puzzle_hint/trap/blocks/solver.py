"""Solutions of a grid, one by one."""

from itertools import islice


def tightest(grid):
    """The empty cell with the fewest choices, and these choices; None when the grid is full."""
    best = None
    for place in grid.empty():
        choices = grid.choices(*place)
        if best is None or len(choices) < len(best[1]):
            best = place, choices
    return best


def solutions(grid):
    """All full grids that the rules allow."""
    found = tightest(grid)
    if found is None:
        yield grid.copy()
        return
    (row, column), choices = found
    try:
        for digit in choices:
            grid.put(row, column, digit)
            yield from solutions(grid)
    finally:
        grid.put(row, column, 0)


def num_solutions(grid, limit=None):
    """How many solutions there are; counting stops at the limit."""
    return sum(1 for _ in islice(solutions(grid), limit))


def first_solution(grid):
    return next(solutions(grid), None)


def is_solvable(grid):
    return first_solution(grid) is not None


def is_unique(grid):
    return num_solutions(grid, limit=2) == 1
