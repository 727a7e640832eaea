"""The cook book, read from text.

    # Title (servings)
    200 g flour
    @ Other title (servings)
"""

import re

from kitchen.recipes import Line, Part, Recipe, RecipeError
from vendor.quantity import Quantity

HEAD = re.compile(r"([#@])\s*(.+?)\s*\((\d+)\)")
AMOUNT = re.compile(r"([0-9.]+\s*(?:kg|g|ml|l)?)\s+(.+)")


class Book:
    def __init__(self):
        self._recipes = {}

    def read(self, text):
        recipe = None
        for line in filter(None, map(str.strip, text.splitlines())):
            head = HEAD.fullmatch(line)
            if head and head.group(1) == "#":
                recipe = self._recipes[head.group(2)] = Recipe(head.group(2), int(head.group(3)))
            elif recipe is None:
                raise RecipeError(f"no recipe before {line!r}")
            elif head:
                recipe.parts.append(Part(self.find(head.group(2)), int(head.group(3))))
            else:
                recipe.lines.append(self._line(line))
        return self

    def _line(self, text):
        match = AMOUNT.fullmatch(text)
        if match is None:
            raise RecipeError(f"no amount in {text!r}")
        return Line(match.group(2), Quantity.parse(match.group(1)))

    def find(self, title):
        if title not in self._recipes:
            raise RecipeError(f"no recipe {title!r}")
        return self._recipes[title]
