"""The table on which dice are thrown."""

from dice.lexer import DiceError
from dice.parser import parse


class Table:
    """`throw(sides)` gives one face, as `random.Random.randint` would."""

    def __init__(self, throw):
        self.throw = throw
        self._notes = []

    def note(self, dice, throws, total):
        self._notes.append((dice, throws, total))

    def roll(self, text):
        """The result and a line for every group of dice."""
        self._notes = []
        total = parse(text).roll(self)
        lines = []
        for dice, throws, subtotal in self._notes:
            label = text[dice.start:dice.end]
            lines.append(f"{label}: {' '.join(map(str, throws))} = {subtotal}")
        return total, lines


def explain(text):
    """Empty for a good roll, else the roll with a caret below its mistake."""
    try:
        parse(text)
    except DiceError as error:
        return f"{text}\n{' ' * error.position}^ {error}"
    return ""
