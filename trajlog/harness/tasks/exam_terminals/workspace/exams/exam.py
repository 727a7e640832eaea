"""An exam at one terminal."""

from exams.hooks import Hook

BLOCKED = ("copy", "paste", "switch")


class ExamError(RuntimeError):
    """The exam is in another state."""


class Exam:
    """Asks one question after the other; the line typed is the answer."""

    def __init__(self, pupil, terminal, questions, minutes=45):
        self.pupil = pupil
        self.state = "ready"
        self.answers = []
        self.warnings = 0
        self.minutes_left = minutes
        self._terminal = terminal
        self._questions = list(questions)
        self._hook = Hook(terminal, self._on_key)

    def start(self):
        self._expect("ready")
        self.state = "running"
        self._hook.install()
        self._terminal.show(f"Exam of {self.pupil}")
        self._ask()

    def pause(self):
        """Interrupt the exam, for example for a fire alarm."""
        self._expect("running")
        self.state = "paused"
        self._hook.remove()
        self._terminal.show("Pause")

    def resume(self):
        """Go on; also after the terminal was started anew, when nothing is known of a pause."""
        self._expect("paused", "running")
        self.state = "running"
        self._hook.install()
        self._ask()

    def finish(self):
        if self.state == "finished":
            return
        self._expect("running", "paused")
        self.state = "finished"
        self._hook.remove()
        self._terminal.show(f"{self.marks()} of {sum(question.marks for question in self._questions)}")

    def pass_time(self, minutes):
        """The clock of the hall; it stands still in a pause."""
        if self.state == "running":
            self.minutes_left = max(0, self.minutes_left - minutes)
            if not self.minutes_left:
                self._terminal.show("Time is up")
                self.finish()

    def marks(self):
        return sum(question.mark(answer) for question, answer in zip(self._questions, self.answers))

    def _ask(self):
        if len(self.answers) < len(self._questions):
            self._terminal.show(f"{len(self.answers) + 1}. {self._questions[len(self.answers)].text}")
        else:
            self.finish()

    def _on_key(self, key, pass_on):
        if key in BLOCKED:
            self.warnings += 1
            self._terminal.show(f"{key} is not allowed")
            return
        if key == "enter":
            self.answers.append(self._terminal.line)
            pass_on(key)
            self._ask()
        else:
            pass_on(key)

    def _expect(self, *states):
        if self.state not in states:
            raise ExamError(f"exam of {self.pupil} is {self.state}")
