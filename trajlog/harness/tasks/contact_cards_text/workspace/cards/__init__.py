"""Contact cards as text (a small part of vCard)."""

from cards.contact import Contact
from cards.reader import CardError, read_cards
from cards.writer import write_cards

__all__ = ["CardError", "Contact", "read_cards", "write_cards"]
