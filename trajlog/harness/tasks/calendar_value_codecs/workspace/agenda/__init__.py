"""A calendar that stores itself as text."""

from agenda import entries, times
from agenda.book import Book

__all__ = ["Book", "entries", "times"]
