from bill import Party
from bill.allocate import allocate


def test_units_go_to_those_who_lost_most():
    got = [allocate(*case) for case in ((100, [3, 3, 1]), (101, [5, 1, 5, 9]), (10, [15, 11, 14]), (1, [2, 3, 3]))]
    assert got == [[43, 43, 14], [25, 5, 25, 46], [4, 3, 3], [0, 1, 0]]


def test_many_people_few_units():
    assert [allocate(5, [1] * 10), allocate(7, [1] * 4), allocate(0, [4, 2])] == [
        [1, 1, 1, 1, 1, 0, 0, 0, 0, 0],
        [2, 2, 2, 1],
        [0, 0],
    ]


def test_refunds_mirror_payments():
    assert [allocate(-100, [3, 3, 1]), allocate(-10, [15, 11, 14]), allocate(-5, [1, 1])] == [
        [-43, -43, -14],
        [-4, -3, -3],
        [-3, -2],
    ]


def test_weight_zero_never_pays():
    assert [allocate(100, [0, 1, 1, 1]), allocate(2, [1, 1, 1, 0]), allocate(-8, [2, 0, 2, 2, 0])] == [
        [0, 34, 33, 33],
        [1, 1, 0, 0],
        [-3, 0, -3, -2, 0],
    ]


def test_other_currencies():
    yen = Party("JPY", "ken", "mia", "yui")
    dinar = Party("KWD", "ali", "eva")
    shares = [yen.pay("mia", "1000", ken=2, mia=3, yui=2), yen.pay("ken", "-100"), dinar.pay("eva", "0.005")]
    assert shares == [
        {"ken": "286 JPY", "mia": "428 JPY", "yui": "286 JPY"},
        {"ken": "-34 JPY", "mia": "-33 JPY", "yui": "-33 JPY"},
        {"ali": "0.003 KWD", "eva": "0.002 KWD"},
    ]
    assert [yen.settle(), dinar.settle()] == [
        [("ken", "mia", "352 JPY"), ("yui", "mia", "253 JPY")],
        [("ali", "eva", "0.003 KWD")],
    ]
