from decimal import Decimal

import pytest
from invoices.ledger import Ledger
from invoices.model import Invoice, Line
from invoices.reminders import Reminders
from invoices.wire import WireError, dumps, loads


def invoice(number="A-7"):
    return Invoice(number, "Mill & Co", [Line("bolt", Decimal("3"), Decimal("0.10")),
                                         Line("plate", Decimal("1.5"), Decimal("12.50"), Decimal("1.00"))])


def test_amounts_survive():
    loaded = loads(dumps(invoice()))
    assert [str(line.total()) for line in loaded.lines] == ["0.30", "17.75"]
    assert str(loaded.due()) == "18.05"


def test_payment():
    ledger = Ledger()
    ledger.receive(dumps(invoice()))
    assert str(ledger.pay("A-7", "18.00")) == "0.05"
    assert ledger.open_numbers() == ["A-7"]


def test_number_with_leading_zeros():
    ledger = Ledger()
    ledger.receive(dumps(invoice("0042")))
    assert ledger.find("0042").buyer == "Mill & Co"


def test_other_version():
    with pytest.raises(WireError, match="version 1"):
        loads('{"version": 1, "invoice": {}}')


def test_reminders():
    ledger = Ledger()
    for number in ("A-1", "A-2"):
        ledger.receive(dumps(invoice(number)))
    reminders = Reminders(ledger)
    reminders.next_round()
    ledger.pay("A-1", "18.05")
    assert [letter.text() for letter in reminders.next_round()] == [
        "Mill & Co: invoice A-2, 18.05 open plus a fee of 2.50"
    ]
    assert str(reminders.fees_of("Mill & Co")) == "2.50"
