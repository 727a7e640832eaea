"""Errors of parts lists."""


class PartsError(ValueError):
    """A parts list that cannot be read or used."""


class SyntaxProblem(PartsError):
    def __init__(self, message, line):
        super().__init__(f"{message} at line {line}")
        self.line = line
