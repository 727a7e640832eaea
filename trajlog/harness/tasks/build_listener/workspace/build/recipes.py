"""How targets are made: functions of the argument and of what the needs gave."""

from build.errors import RecipeError


class Recipes:
    def __init__(self):
        self._functions = {"text": self._text, "join": self._join, "upper": self._upper}

    def add(self, name, function):
        self._functions[name] = function
        return function

    def make(self, target, inputs):
        try:
            function = self._functions[target.recipe]
        except KeyError:
            raise RecipeError(f"{target.name}: no recipe {target.recipe}") from None
        return function(target.argument, inputs)

    @staticmethod
    def _text(argument, inputs):
        return argument

    @staticmethod
    def _join(argument, inputs):
        return argument.join(inputs)

    @staticmethod
    def _upper(argument, inputs):
        if len(inputs) != 1:
            raise RecipeError("upper wants exactly one input")
        return inputs[0].upper()
