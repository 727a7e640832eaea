"""Errors of worksheets."""


class WorksheetError(ValueError):
    """Something is wrong in a line of a worksheet."""

    def __init__(self, number, reason):
        super().__init__(f"line {number}: {reason}")
        self.number = number
