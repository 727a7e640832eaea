"""Cards to contacts. Properties that we do not know are skipped."""

from cards.contact import Contact
from cards.lines import split_parts, unescape, unfold


class CardError(ValueError):
    """The text is not a sequence of cards."""


def _content(line):
    """Name and value of a content line; parameters (`ADR;TYPE=home`) are dropped."""
    head, colon, value = line.partition(":")
    if not colon:
        raise CardError(f"no value: {line!r}")
    return head.partition(";")[0].upper(), value


def _padded(parts, size):
    return (*parts, *[""] * size)[:size]


def _apply(contact, name, value):
    if name == "N":
        contact.family, contact.given = _padded(split_parts(value, ";"), 2)
    elif name == "ADR":
        contact.address = _padded(split_parts(value, ";"), 4)
    elif name == "EMAIL":
        contact.emails.append(unescape(value))
    elif name == "CATEGORIES":
        contact.categories += split_parts(value, ",")
    elif name == "NOTE":
        contact.note = unescape(value)


def read_cards(text):
    contacts, current = [], None
    for line in unfold(text):
        name, value = _content(line)
        if name == "BEGIN":
            current = Contact("")
        elif current is None:
            raise CardError(f"outside a card: {line!r}")
        elif name == "END":
            contacts.append(current)
            current = None
        else:
            _apply(current, name, value)
    if current is not None:
        raise CardError("the last card has no end")
    return contacts
