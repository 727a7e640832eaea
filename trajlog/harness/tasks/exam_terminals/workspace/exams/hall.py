"""All exams of a hall."""


class Hall:
    def __init__(self):
        self.exams = []

    def add(self, exam):
        self.exams.append(exam)
        return exam

    def start(self):
        for exam in self.exams:
            if exam.state == "ready":
                exam.start()

    def alarm(self):
        """Interrupt what is running; how many exams."""
        running = [exam for exam in self.exams if exam.state == "running"]
        for exam in running:
            exam.pause()
        return len(running)

    def all_clear(self):
        for exam in self.exams:
            if exam.state in ("paused", "running"):
                exam.resume()

    def pass_time(self, minutes):
        for exam in self.exams:
            exam.pass_time(minutes)

    def results(self):
        return {exam.pupil: (exam.state, exam.marks(), exam.warnings) for exam in self.exams}
