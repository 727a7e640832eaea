class TemplateError(ValueError):
    """A template that cannot be used; `line` counts from 1."""

    def __init__(self, line, message):
        super().__init__(f"line {line}: {message}")
        self.line = line
