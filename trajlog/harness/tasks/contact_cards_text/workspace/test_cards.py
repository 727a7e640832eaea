import pytest
from cards import CardError, Contact, read_cards, write_cards


def again(**fields):
    return read_cards(write_cards([Contact(**fields)]))[0]


def test_simple_card():
    loaded = again(family="Mills", given="Ada", address=("1 Pier", "Leith", "EH6", "Scotland"), emails=["a@b.test"])
    assert loaded.label() == "Ada Mills\n1 Pier\nLeith\nEH6\nScotland"
    assert loaded.emails == ["a@b.test"]


def test_note_with_everything():
    note = "a; b, c\\ d\nnew line; " + "long " * 30
    assert again(family="X", note=note).note == note


def test_street_with_semicolon():
    loaded = again(family="Mills", address=("Unit 4; Dock Road", "Leith", "EH6", "Scotland"))
    assert loaded.address == ("Unit 4; Dock Road", "Leith", "EH6", "Scotland")


def test_category_with_comma():
    assert again(family="X", categories=["boats, small", "club"]).categories == ["boats, small", "club"]


def test_card_without_end():
    with pytest.raises(CardError):
        read_cards("BEGIN:VCARD\r\nN:a;b\r\n")
