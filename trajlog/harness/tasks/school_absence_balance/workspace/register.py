"""What teachers enter during a term."""

from collections import Counter
from dataclasses import dataclass


class RegisterError(ValueError):
    """An entry that cannot be."""


@dataclass(frozen=True)
class Absence:
    week: int
    pupil: str
    subject: str
    lessons: int
    excused: bool = False


class Register:
    def __init__(self, weeks):
        self._weeks = weeks
        self._entries = []

    def enter(self, week, pupil, subject, lessons=1, excused=False):
        if not 1 <= week <= self._weeks:
            raise RegisterError(f"week {week} of {self._weeks}")
        if lessons < 1:
            raise RegisterError(f"{lessons} lessons")
        self._entries.append(Absence(week, pupil, subject, lessons, excused))

    def of(self, pupil, until=None):
        return [entry for entry in self._entries if entry.pupil == pupil and (until is None or entry.week <= until)]

    def missed(self, pupil, until=None):
        """Lessons by subject. Excused ones do not count."""
        counts = Counter()
        for entry in self.of(pupil, until):
            if not entry.excused:
                counts[entry.subject] += entry.lessons
        return counts

    def weekly(self, subject):
        """Missed lessons of all pupils, week by week."""
        counts = Counter()
        for entry in self._entries:
            if entry.subject == subject:
                counts[entry.week] += entry.lessons
        return [counts[week] for week in range(1, self._weeks + 1)]
