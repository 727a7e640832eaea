import pytest
from sparse import Matrix, ShapeError, parse, show
from sparse.arithmetic import add, multiply, scale
from sparse.search import first_cell


def small():
    return parse("0,0=1 0,1=2 1,0=3 1,1=4", 2, 2)


def test_sum_and_scale():
    m = small()
    assert show(add(m, m)) == "2 4 / 6 8"
    assert show(scale(m.transposed(), 10)) == "10 30 / 20 40"


def test_product_with_another():
    assert show(multiply(small(), parse("0,2=5 1,0=1", 2, 3))) == "2 0 5 / 4 0 15"


def test_product_with_itself():
    m = small()
    assert show(multiply(m, m)) == "7 10 / 15 22"


def test_zeros_are_dropped():
    m = Matrix(3, 3, [(0, 0, 4), (2, 1, 7)])
    m[0, 0] = 0
    assert (len(m), first_cell(m, lambda value: value > 5), list(m)) == (1, (2, 1), [(2, 1, 7)])


def test_shapes_are_checked():
    with pytest.raises(ShapeError, match="cannot multiply"):
        multiply(Matrix(2, 3), Matrix(2, 3))
    with pytest.raises(IndexError):
        small()[0, 2]
