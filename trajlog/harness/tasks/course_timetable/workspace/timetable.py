"""Weekly timetable of courses."""

from dataclasses import dataclass, replace
from itertools import groupby

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


class TimetableError(ValueError):
    pass


@dataclass(frozen=True)
class Course:
    name: str
    day: str
    start: int  # minutes after midnight
    minutes: int = 60

    def __post_init__(self):
        if self.day not in DAYS:
            raise TimetableError(f"no such day: {self.day}")

    @property
    def clock(self):
        return f"{self.start // 60:02d}:{self.start % 60:02d}"


class Timetable:
    def __init__(self, courses=()):
        self._courses = []
        for course in courses:
            self.add(course)

    def add(self, course):
        if any(known.name == course.name for known in self._courses):
            raise TimetableError(f"{course.name} is already entered")
        self._courses.append(course)

    def find(self, name):
        for course in self._courses:
            if course.name == name:
                return course
        raise TimetableError(f"no course {name}")

    def move(self, name, day, start):
        old = self.find(name)
        self._courses[self._courses.index(old)] = replace(old, day=day, start=start)

    def week(self):
        """Day -> names with clock times."""
        return {
            day: [f"{course.clock} {course.name}" for course in group]
            for day, group in groupby(self._courses, key=lambda course: course.day)
        }

    def busiest_day(self):
        counts = {day: len(names) for day, names in self.week().items()}
        return max(counts, key=counts.get)

    def sheet(self):
        lines = []
        for day, names in self.week().items():
            lines.append(f"{day}: " + ", ".join(names))
        return "\n".join(lines)
