from calculator import Calculator


def results(*lines):
    calculator = Calculator()
    return [calculator.enter(line) for line in lines]


def test_long_rows():
    assert results("20 - 5 - 4 - 3 + 2 - 1", "64 / 4 / 2 * 3 / 6", "17 % 10 * 3", "100 - 50 % 7 - 2") == [
        "9", "4", "21", "97"
    ]


def test_powers_from_the_right():
    got = results("2 ^ 3 ^ 2", "2 ^ 2 ^ 0 ^ 5", "(2 ^ 3) ^ 2", "4 ^ -1", "2 ^ -1 ^ 2")
    assert got == ["512", "2", "64", "1/4", "1/2"]


def test_minus_in_front():
    assert results("-3 - 4 - 5", "-2 * 3 - 1", "8 - -2 ^ 2 - 1", "-2 ^ 3 ^ 2") == ["-12", "-7", "11", "-512"]


def test_mixed_with_variables():
    assert results("a = 9 - 3 - 2", "b = a ^ 2 ^ 1 / 8 / 4", "a - b - b") == ["4", "1/2", "3"]
