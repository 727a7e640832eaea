"""Matrices that are mostly zero."""

from sparse.matrix import Matrix, ShapeError
from sparse.text import parse, show

__all__ = ["Matrix", "ShapeError", "parse", "show"]
