"""Exams: questions, sheets and deductions."""

from dataclasses import dataclass, field


class SheetError(ValueError):
    pass


@dataclass(frozen=True)
class Question:
    name: str
    points: int
    penalty: int = 0  # for a wrong answer


@dataclass
class Sheet:
    student: str
    answers: dict = field(default_factory=dict)  # question name -> share of its points, None if left out
    deductions: int = 0


class Exam:
    def __init__(self, questions):
        self._questions = {question.name: question for question in questions}

    @property
    def total(self):
        return sum(question.points for question in self._questions.values())

    def score(self, sheet):
        """Points of a sheet; it may fall below zero."""
        points = -sheet.deductions
        for name, share in sheet.answers.items():
            question = self._questions.get(name)
            if question is None:
                raise SheetError(f"{sheet.student}: no question {name}")
            if share is None:
                continue
            if not 0 <= share <= 1:
                raise SheetError(f"{sheet.student}: {share} of {name}")
            points += share * question.points if share else -question.penalty
        return points


def read_sheets(lines):
    """`student: q1=1 q2=0.5 q3=- !2`; `-` is left out, `!` a deduction."""
    for line in lines:
        student, _, rest = line.partition(":")
        sheet = Sheet(student.strip())
        for part in rest.split():
            if part.startswith("!"):
                sheet.deductions += int(part[1:])
                continue
            name, _, share = part.partition("=")
            sheet.answers[name] = None if share == "-" else float(share)
        yield sheet
