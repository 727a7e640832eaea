"""A small spreadsheet with formulas."""

from sheets.book import Book

__all__ = ["Book"]
