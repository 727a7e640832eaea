"""The forms of the shop."""

from forms.base import Form
from forms.fields import Choice, Field, Whole


class OrderForm(Form):
    name = Field("Name")
    phone = Field("Phone", help="for the courier")
    count = Whole("Count", low=1, high=20)
    shipping = Choice("Shipping", ["post", "courier", "pickup"])


class GiftForm(OrderForm):
    wrapping = Choice("Wrapping", ["red", "gold"], required=False)
    count = Whole("Count", low=1, high=3)


def guest_form(data=None):
    """Guests may leave out the phone; no courier comes then."""
    form = OrderForm(data)
    if not (data or {}).get("phone"):
        form.field("phone").required = False
        form.limit("shipping", ["post", "pickup"])
    return form
