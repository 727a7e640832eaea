from cart import Cart


def test_given_list_is_left_alone():
    given = ["x"]
    Cart(given).add("y")
    assert given == ["x"]
