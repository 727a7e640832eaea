"""Matrices as text."""

from sparse.matrix import Matrix


def parse(text, rows, columns):
    """Cells such as `0,2=5`."""
    matrix = Matrix(rows, columns)
    for part in text.split():
        place, _, value = part.partition("=")
        row, column = map(int, place.split(","))
        matrix[row, column] = int(value)
    return matrix


def show(matrix):
    rows, columns = matrix.shape
    return " / ".join(" ".join(str(matrix[row, column]) for column in range(columns)) for row in range(rows))
