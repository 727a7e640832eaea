"""Recipes: lines with amounts, and other recipes as parts."""

from dataclasses import dataclass, field

from vendor.quantity import Quantity


class RecipeError(Exception):
    pass


@dataclass
class Line:
    name: str
    quantity: Quantity


@dataclass
class Part:
    recipe: "Recipe"
    servings: float


@dataclass
class Recipe:
    title: str
    servings: int
    lines: list = field(default_factory=list)
    parts: list = field(default_factory=list)

    def amounts(self, servings):
        """(name, amount) of everything that goes in, the parts last."""
        for line in self.lines:
            yield line.name, self.for_servings(line.quantity, servings)
        for part in self.parts:
            yield from part.recipe.amounts(part.servings * servings / self.servings)

    def for_servings(self, quantity, servings):
        if servings == self.servings:
            return quantity
        return quantity * (servings / self.servings)

    def card(self, servings=None):
        servings = servings or self.servings
        head = f"{self.title} for {servings}"
        return [head, *(f"{self.for_servings(line.quantity, servings)} {line.name}" for line in self.lines)]
