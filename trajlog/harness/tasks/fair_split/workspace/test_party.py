import pytest
from bill import Money, Party
from bill.allocate import allocate
from bill.money import CurrencyMismatch


def test_even_split():
    party = Party("EUR", "ann", "bob", "cid")
    assert party.pay("ann", "90.00") == {"ann": "30.00 EUR", "bob": "30.00 EUR", "cid": "30.00 EUR"}
    assert party.settle() == [("bob", "ann", "30.00 EUR"), ("cid", "ann", "30.00 EUR")]


def test_odd_cents():
    party = Party("EUR", "ann", "bob", "cid")
    assert party.pay("bob", "100", ann=3, bob=3, cid=1) == {"ann": "42.86 EUR", "bob": "42.86 EUR", "cid": "14.28 EUR"}
    assert party.pay("bob", "100") == {"ann": "33.34 EUR", "bob": "33.33 EUR", "cid": "33.33 EUR"}


def test_amounts_as_text():
    texts = ["-0.07 EUR", "1200 JPY", "3.5 KWD", "-12 USD"]
    assert [str(Money.parse(text)) for text in texts] == ["-0.07 EUR", "1200 JPY", "3.500 KWD", "-12.00 USD"]


def test_currencies_do_not_mix():
    with pytest.raises(CurrencyMismatch, match="EUR and JPY"):
        Money(1, "EUR") + Money(1, "JPY")


def test_weights_are_checked():
    for weights in ([0, 0], [2, -1]):
        with pytest.raises(ValueError, match="cannot divide"):
            allocate(100, weights)
