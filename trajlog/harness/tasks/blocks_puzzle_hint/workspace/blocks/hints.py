"""Help for the player."""

from blocks.solver import first_solution


def single_choices(grid):
    """(row, column, digit) of the cells with one choice only."""
    found = ((place, grid.choices(*place)) for place in grid.empty())
    return [(*place, choices[0]) for place, choices in found if len(choices) == 1]


def hint(grid):
    """A cell to fill next as (row, column, digit), or None: an easy one if there is one."""
    easy = single_choices(grid)
    solution = first_solution(grid)
    if solution is None:
        return None
    for row, column, digit in easy:
        return row, column, digit
    for row, column in grid.empty():
        return row, column, solution[row, column]
    return None


def difficulty(grid):
    """How many cells cannot be filled by single choices alone."""
    grid = grid.copy()
    while easy := single_choices(grid):
        row, column, digit = easy[0]
        grid.put(row, column, digit)
    return len(grid.empty())
