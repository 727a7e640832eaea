import pytest
from calculator import Calculator
from lexer import FormulaError


def results(*lines):
    calculator = Calculator()
    return [calculator.enter(line) for line in lines]


def test_ranks():
    assert results("2 + 3 * 4", "(2 + 3) * 4", "-2 ^ 2", "7 / 2", "1.5 * 2") == ["14", "20", "-4", "7/2", "3"]


def test_from_the_left():
    assert results("10 - 4 - 3", "100 / 10 / 5") == ["3", "2"]


def test_variables():
    assert results("rate = 1 / 4", "rate * 100") == ["1/4", "25"]


@pytest.mark.parametrize("line", ["2 +", "(1", "1 / 0", "nope", "2 $ 3", "1 2"])
def test_mistakes(line):
    with pytest.raises(FormulaError):
        Calculator().enter(line)
