"""What is drawn: every layer turns a map position into one character."""


class Checker:
    """Alternating fields of some width."""

    def __init__(self, width):
        self.width = width

    def draw(self, x, y):
        return "#" if (x // self.width + y // self.width) % 2 else "."


class Labels:
    """Places by position; everything else is blank."""

    def __init__(self, places):
        self.places = dict(places)

    def draw(self, x, y):
        return self.places.get((x, y), " ")


class Stack:
    """Layers on top of each other; blanks let the one below through."""

    def __init__(self, *layers):
        self.layers = layers

    def draw(self, x, y):
        for layer in reversed(self.layers):
            sign = layer.draw(x, y)
            if sign != " ":
                return sign
        return " "
