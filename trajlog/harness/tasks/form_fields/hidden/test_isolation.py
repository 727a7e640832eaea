from forms.base import fields_of
from forms.orders import GiftForm, OrderForm, guest_form
from forms.render import render


def test_choices_of_other_forms():
    first, second = GiftForm(), GiftForm()
    first.limit("wrapping", ["gold"])
    second.limit("shipping", ["pickup"])
    OrderForm().limit("shipping", [])
    assert [first.describe()[3:], second.describe()[3:]] == [
        ["shipping=post|courier|pickup", "[wrapping]=gold"], ["shipping=pickup", "[wrapping]=red|gold"]
    ]


def test_declaration_stays():
    form = guest_form({"name": "x"})
    form.field("count").required = False
    form.drop("name")
    GiftForm().limit("shipping", ["post"])
    assert form.describe() == ["[phone]", "[count]", "shipping=post|pickup"]
    assert fields_of(OrderForm) == ["name", "phone", "count", "shipping=post|courier|pickup"]


def test_errors_belong_to_one_form():
    bad, fresh = OrderForm({"name": "A"}), OrderForm()
    bad.is_valid()
    assert bad.errors() == ["Phone is missing", "Count is missing", "Shipping is missing"]
    assert (fresh.errors(), OrderForm().errors(), GiftForm().errors(), len(bad.errors())) == ([], [], [], 3)


def test_two_forms_checked_in_turns():
    left, right = OrderForm({"name": "A", "phone": "1", "count": "0", "shipping": "post"}), guest_form({"count": "9"})
    left.is_valid()
    right.is_valid()
    assert left.errors() == ["Count must be 1 to 20"]
    assert right.errors() == ["Name is missing", "Shipping is missing"]
    assert right.cleaned == {"phone": None, "count": 9}


def test_page_of_a_fresh_form():
    used = OrderForm({"name": "x", "phone": "", "count": "99", "shipping": "post"})
    used.is_valid()
    used.limit("shipping", ["post"])
    assert [render(used)[2], render(OrderForm())[2], render(OrderForm({"shipping": "pickup"}))[3]] == [
        '<label>Count <input type="number" name="count" value="99" required min="1" max="20"></label>'
        "<em>Count must be 1 to 20</em>",
        '<label>Count <input type="number" name="count" required min="1" max="20"></label>',
        '<label>Shipping <select name="shipping" required><option>post</option><option>courier</option>'
        "<option selected>pickup</option></select></label>",
    ]


def test_help_and_bounds_of_one_form():
    form = OrderForm()
    form.field("phone").help = "day and night"
    form.field("count").high = 500
    other = GiftForm()
    assert [other.field("phone").help, other.field("count").high, OrderForm().field("count").high] == [
        "for the courier", 3, 20
    ]
