"""Dice rolls such as `4d6kh3 + 2`."""

from dice.lexer import DiceError
from dice.parser import parse
from dice.table import Table, explain

__all__ = ["DiceError", "Table", "explain", "parse"]
