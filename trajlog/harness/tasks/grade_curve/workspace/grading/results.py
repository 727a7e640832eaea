"""The results of a class."""

from bisect import bisect_right
from dataclasses import dataclass


@dataclass(frozen=True)
class Result:
    student: str
    score: float
    grade: float


class Results:
    def __init__(self, exam, curve, sheets):
        self._curve = curve
        self.rows = []
        for sheet in sheets:
            score = exam.score(sheet)
            self.rows.append(Result(sheet.student, score, curve.grade(score)))

    def grades(self):
        return {row.student: row.grade for row in self.rows}

    def rank(self, student):
        mine = next(row for row in self.rows if row.student == student)
        return 1 + sum(row.grade > mine.grade for row in self.rows)

    def mean(self):
        return round(sum(row.grade for row in self.rows) / len(self.rows), 2)

    def median(self):
        grades = sorted(row.grade for row in self.rows)
        middle = len(grades) // 2
        if len(grades) % 2:
            return grades[middle]
        return round((grades[middle - 1] + grades[middle]) / 2, 2)

    def passed(self, limit=4.0):
        return [row.student for row in self.rows if row.grade >= limit]


def histogram(grades, bounds):
    """How many grades lie in each bin between neighbouring bounds."""
    counts = [0] * (len(bounds) - 1)
    for grade in grades:
        if bounds[0] <= grade <= bounds[-1]:
            counts[min(bisect_right(bounds, grade), len(counts)) - 1] += 1
    return counts
