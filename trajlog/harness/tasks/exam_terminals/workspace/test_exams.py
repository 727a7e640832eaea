import pytest
from exams import Exam, ExamError, Recorder, Terminal
from exams.hall import Hall
from exams.questions import read_questions

QUESTIONS = read_questions("2 | Capital of Peru? | lima\n1 | 3 x 4? | 12 / twelve")


def test_plain_exam():
    terminal = Terminal("t1")
    exam = Exam("Ada", terminal, QUESTIONS)
    exam.start()
    terminal.type("Lima")
    terminal.press("enter", "paste", "1", "3", "back", "2", "enter")
    assert terminal.screen == [
        'Exam of Ada', '1. Capital of Peru?', 'Lima', '2. 3 x 4?', 'paste is not allowed', '12',
        '3 of 3',
    ]
    assert (exam.answers, exam.warnings, exam.state) == (["Lima", "12"], 1, "finished")


def test_keys_after_a_plain_exam():
    terminal = Terminal("t1")
    exam = Exam("Ada", terminal, QUESTIONS)
    exam.start()
    exam.finish()
    terminal.press("a", "copy", "paste", "enter")
    assert terminal.screen[-1] == "aa"


def test_keys_after_an_alarm():
    terminal = Terminal("t1")
    hall = Hall()
    exam = hall.add(Exam("Ada", terminal, QUESTIONS))
    hall.start()
    hall.all_clear()
    exam.finish()
    terminal.press("a", "copy", "paste", "enter")
    assert terminal.screen[-1] == "aa"
    assert hall.results() == {"Ada": ("finished", 0, 0)}


def test_recorder():
    terminal = Terminal("t1")
    recorder = Recorder(terminal)
    recorder.attach()
    terminal.press("h", "i", "enter")
    recorder.detach()
    terminal.press("x")
    assert (recorder.text(), terminal.screen, terminal.line) == ("hi[enter]", ["hi"], "x")


def test_states():
    exam = Exam("Ada", Terminal("t1"), QUESTIONS)
    with pytest.raises(ExamError, match="exam of Ada is ready"):
        exam.pause()
    exam.start()
    exam.pass_time(45)
    with pytest.raises(ExamError, match="exam of Ada is finished"):
        exam.resume()
