"""The term report of a form."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    pupil: str
    left: dict

    @property
    def worst(self):
        """The subject with the least left; of equal ones the first by name."""
        return min(sorted(self.left), key=self.left.get)

    def is_over(self):
        return any(lessons < 0 for lessons in self.left.values())


class Report:
    """`until` is the last week that counts; without it the whole term."""

    def __init__(self, form, register, until=None):
        self._form = form
        self._register = register
        self._until = until

    def left(self, pupil):
        """What is left of the allowance, by subject."""
        balance = self._form.allowed(pupil).copy()
        balance.subtract(self._register.missed(pupil, self._until))
        return balance

    def rows(self):
        return [Row(pupil, dict(sorted(self.left(pupil).items()))) for pupil in self._form.pupils]

    def over(self):
        return [row.pupil for row in self.rows() if row.is_over()]

    def share_used(self):
        """Used part of all allowed lessons of the form in percent."""
        used = sum(self._register.missed(pupil, self._until).total() for pupil in self._form.pupils)
        return round(100 * used / (self._form.total() * len(self._form.pupils)))

    def lines(self):
        """The printed report."""
        lines = [f"Form {self._form.name}"]
        for row in self.rows():
            cells = "  ".join(f"{subject} {left:+d}" for subject, left in row.left.items())
            lines.append(f"{row.pupil}: {cells}" + (f"  !{row.worst}" if row.is_over() else ""))
        return lines
