"""What can be wrong with a form."""


class FormError(ValueError):
    """A form or formula that is not understood; `line` is the line of the form."""

    def __init__(self, message, line=None):
        super().__init__(message if line is None else f"line {line}: {message}")
        self.line = line
