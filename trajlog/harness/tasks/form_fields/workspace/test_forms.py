import pytest
from forms.base import fields_of
from forms.orders import GiftForm, OrderForm, guest_form
from forms.render import render

GOOD = {"name": " Ada ", "phone": "123", "count": "2", "shipping": "courier"}


def test_good_order():
    form = OrderForm(GOOD)
    assert form.is_valid()
    assert form.cleaned == {"name": "Ada", "phone": "123", "count": 2, "shipping": "courier"}


def test_bad_order():
    form = OrderForm({"name": "Ada", "phone": "1", "count": "50", "shipping": "drone"})
    assert not form.is_valid()
    assert form.errors() == ["Count must be 1 to 20", "Shipping must be one of post, courier, pickup"]


def test_subclass_keeps_the_order():
    assert fields_of(GiftForm) == ["name", "phone", "count", "shipping=post|courier|pickup", "[wrapping]=red|gold"]


def test_html():
    form = OrderForm({"name": "A&B", "shipping": "post"})
    form.drop("shipping")
    form.drop("count")
    assert render(form) == [
        '<label>Name <input name="name" value="A&amp;B" required></label>',
        '<label>Phone <input name="phone" required></label><small>for the courier</small>',
    ]


def test_unknown_field():
    with pytest.raises(KeyError, match="OrderForm has no field size"):
        OrderForm().field("size")


def test_member_after_guest():
    assert guest_form().describe() == ["name", "[phone]", "count", "shipping=post|pickup"]
    assert OrderForm().describe() == ["name", "phone", "count", "shipping=post|courier|pickup"]
