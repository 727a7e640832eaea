"""Forms, their pupils and what they may miss."""

from collections import Counter


class Form:
    def __init__(self, name, pupils, allowance):
        self.name = name
        self.pupils = list(pupils)
        self.allowance = Counter(allowance)

    def allowed(self, pupil):
        """Free lessons of a pupil by subject."""
        if pupil not in self.pupils:
            raise LookupError(f"{pupil} is not in form {self.name}")
        return self.allowance

    def total(self):
        return self.allowance.total()
