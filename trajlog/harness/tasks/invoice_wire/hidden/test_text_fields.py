import json
from decimal import Decimal

import pytest
from invoices.ledger import Ledger
from invoices.model import Invoice, Line
from invoices.wire import WireError, dumps, loads


def test_text_that_looks_like_amounts():
    loaded = loads(dumps(Invoice("1E5", "42.10", [Line("700", Decimal("2"), Decimal("5.00"))], reference="2024.10")))
    got = (loaded.number, loaded.buyer, loaded.reference, loaded.lines[0].article)
    assert got == ("1E5", "42.10", "2024.10", "700")


def test_extra_fields_are_handed_on():
    extra = {"route": "0012", "paid": "3.10", "nested": {"price": "1.00"}, "list": ["7", "NaN"], "price": "9.90"}
    loaded = loads(dumps(Invoice("1", "b", extra=extra)))
    assert loaded.extra == {
        "route": "0012", "paid": "3.10", "nested": {"price": "1.00"}, "list": ["7", "NaN"], "price": "9.90"
    }


def test_digits_as_sent():
    line = Line("x", Decimal("1.500"), Decimal("10"), Decimal("0.00"))
    loaded = loads(dumps(Invoice("n", "b", [line], paid=Decimal("1E+1"))))
    got = loaded.lines[0]
    assert [str(got.quantity), str(got.price), str(got.discount), str(loaded.paid)] == ["1.500", "10", "0.00", "1E+1"]


def test_wire_format():
    document = json.loads(dumps(Invoice("007", "b", [Line("5", Decimal("1"), Decimal("2.50"))])))
    assert document == {
        "version": 2,
        "invoice": {
            "number": "007", "buyer": "b", "reference": "", "paid": "0", "extra": {},
            "lines": [{"article": "5", "quantity": "1", "price": "2.50", "discount": "0"}],
        },
    }


def test_forward_is_what_came():
    ledger = Ledger()
    text = dumps(Invoice("12.50", "b", [Line("x", Decimal("1"), Decimal("2.50"))], extra={"cost": "7.00"}))
    ledger.receive(text)
    assert ledger.forward("12.50") == text
    assert ledger.open_numbers() == ["12.50"]


def test_bad_amount():
    text = dumps(Invoice("1", "b", [Line("x", Decimal("1"), Decimal("2.5"))])).replace('"2.5"', '"two"')
    with pytest.raises((WireError, TypeError)) as caught:
        loads(text)
    assert str(caught.value) == "price is no amount: 'two'"
