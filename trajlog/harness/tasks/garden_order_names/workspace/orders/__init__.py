"""Orders of a plant nursery as text."""

from orders.items import Item, OrderError
from orders.parser import parse_order
from orders.tokens import tokens

__all__ = ["Item", "OrderError", "parse_order", "tokens"]
