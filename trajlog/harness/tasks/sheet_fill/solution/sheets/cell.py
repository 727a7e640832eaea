"""One cell: a constant or a formula, and how it looks."""

from sheets.formula import parse


class Cell:
    def __init__(self, value="", formula=None, style=None):
        self.value = value
        self.formula = formula
        self.style = style or {}

    @classmethod
    def from_text(cls, text):
        if text.startswith("="):
            return cls(formula=parse(text[1:]))
        try:
            return cls(float(text))
        except ValueError:
            return cls(text)

    def text(self):
        if self.formula is not None:
            return f"={self.formula}"
        return self.value if isinstance(self.value, str) else f"{self.value:g}"

    def moved_copy(self, columns, rows):
        """The cell as it is pasted so many columns and rows away."""
        formula = self.formula and self.formula.copy()
        made = Cell(self.value, formula, dict(self.style))
        for ref in made.refs():
            ref.move(columns, rows)
        return made

    def refs(self):
        return self.formula.refs() if self.formula is not None else []
