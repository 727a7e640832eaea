"""Sheets: a template filled for one pupil, question by question."""


class Sheet:
    def __init__(self, pupil, template):
        self.pupil = pupil
        self._items = template.items()
        self._asked = []
        self._answers = []
        self._lines = []
        self.is_done = False

    def step(self):
        """Go on to the next question; False at the end of the sheet."""
        for kind, content in self._items:
            if kind == "question":
                self._asked.append(content)
                self._lines.append(f"{len(self._asked)}. {content.text}")
                return True
            self._lines.append(content.upper() if kind == "heading" else f"({content})")
        self.is_done = True
        return False

    def answer(self, text):
        if len(self._answers) == len(self._asked):
            raise ValueError("no open question")
        self._answers.append(text)
        return text.strip().lower() == self._asked[len(self._answers) - 1].answer.lower()

    def points(self):
        return sum(
            question.level
            for question, answer in zip(self._asked, self._answers)
            if answer.strip().lower() == question.answer.lower()
        )

    def lines(self):
        return list(self._lines)

    def complete(self):
        while self.step():
            pass
        return self.lines()


def fill_in_turn(sheets):
    """One question each in turn, until all sheets are done."""
    waiting = list(sheets)
    while waiting:
        waiting = [sheet for sheet in waiting if sheet.step()]
    return {sheet.pupil: sheet.lines() for sheet in sheets}
