"""Look into matrices."""


def first_cell(matrix, wanted):
    """The first (row, column) whose value satisfies `wanted`, or None."""
    for row, column, value in matrix:
        if wanted(value):
            return row, column
    return None


def row_values(matrix, wanted_row):
    return {column: value for row, column, value in matrix if row == wanted_row}


def closest_rows(matrix):
    """For every row with cells: (row, the other row that shares most columns, number shared)."""
    found = []
    seen = set()
    for row, _, _ in matrix:
        if row in seen:
            continue
        seen.add(row)
        mine = row_values(matrix, row)
        best = (-1, 0)
        for other in range(matrix.shape[0]):
            shared = len(mine.keys() & row_values(matrix, other).keys())
            if other != row and shared > best[1]:
                best = (other, shared)
        found.append((row, *best))
    return found
