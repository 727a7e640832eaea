"""Questions and marks."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    text: str
    answers: tuple
    marks: int = 1

    def mark(self, answer):
        return self.marks if answer.strip().lower() in self.answers else 0


def read_questions(text):
    """Lines such as `2 | Capital of Peru? | lima`: marks, question, right answers separated by slashes."""
    questions = []
    for line in text.splitlines():
        if line.strip():
            marks, question, answers = (part.strip() for part in line.split("|"))
            known = tuple(answer.strip().lower() for answer in answers.split("/"))
            questions.append(Question(question, known, int(marks)))
    return questions
