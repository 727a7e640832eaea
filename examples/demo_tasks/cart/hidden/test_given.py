from cart import Cart


def test_given_list_is_left_alone():
    given = ["x"]
    a = Cart(given)
    a.add("y")
    assert (given, a.items) == (["x"], ["x", "y"])
