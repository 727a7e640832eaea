class IniError(ValueError):
    """Something is wrong in a file; `place` is `file:line`."""

    def __init__(self, place, message):
        super().__init__(f"{place}: {message}")
        self.place = place
