from cart import Cart


def test_add():
    a = Cart(["x"])
    a.add("y")
    assert a.items == ["x", "y"]


def test_two_carts():
    a = Cart()
    a.add("x")
    b = Cart()
    assert b.items == []
