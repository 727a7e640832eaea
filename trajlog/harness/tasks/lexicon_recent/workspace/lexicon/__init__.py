"""A dictionary with stems, on a slow medium."""

from lexicon.book import Lexicon
from lexicon.medium import Medium, UnknownWord

__all__ = ["Lexicon", "Medium", "UnknownWord"]
