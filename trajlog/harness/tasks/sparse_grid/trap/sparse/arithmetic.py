"""Sums and products."""

from sparse.matrix import Matrix, ShapeError


def add(one, other):
    if one.shape != other.shape:
        raise ShapeError(f"cannot add {one.shape} and {other.shape}")
    total = one.copy()
    for row, column, value in other:
        total[row, column] += value
    return total


def scale(matrix, factor):
    return Matrix(*matrix.shape, ((row, column, value * factor) for row, column, value in matrix))


def multiply(left, right):
    if left.shape[1] != right.shape[0]:
        raise ShapeError(f"cannot multiply {left.shape} by {right.shape}")
    product = Matrix(left.shape[0], right.shape[1])
    for row, inner, value in left.copy():
        for other_row, column, other_value in right:
            if other_row == inner:
                product[row, column] += value * other_value
    return product


def power(matrix, exponent):
    """The matrix multiplied by itself; exponent 1 or more."""
    result = matrix
    for _ in range(exponent - 1):
        result = multiply(result, matrix)
    return result


def gram(matrix):
    """`matrix` times its transpose, without making that."""
    size = matrix.shape[0]
    product = Matrix(size, size)
    for row, column, value in matrix.copy():
        for other_row, other_column, other_value in matrix:
            if column == other_column:
                product[row, other_row] += value * other_value
    return product
