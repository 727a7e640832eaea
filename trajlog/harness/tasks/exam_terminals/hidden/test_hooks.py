from exams import Exam, Hook, Recorder, Terminal
from exams.hall import Hall
from exams.questions import read_questions

QUESTIONS = read_questions("1 | 6 + 7? | 13\n1 | Red and blue? | purple / violet\n3 | Square of 9? | 81")


def test_recorder_detached_after_the_exam():
    terminal = Terminal("t")
    exam, recorder = Exam("Ben", terminal, QUESTIONS), Recorder(terminal)
    exam.start()
    recorder.attach()
    terminal.press("1", "3", "enter", "copy")
    exam.finish()
    terminal.press("o", "copy")
    recorder.detach()
    terminal.press("paste", "enter")
    assert (terminal.screen, recorder.text(), exam.answers, exam.warnings) == (
        ['Exam of Ben', '1. 6 + 7?', '13', '2. Red and blue?', 'copy is not allowed', '1 of 5', 'oo'],
        '13[enter][copy]o[copy]', ['13'], 1,
    )


def test_recorder_attached_before_the_exam():
    terminal = Terminal("t")
    exam, recorder = Exam("Ben", terminal, QUESTIONS), Recorder(terminal)
    recorder.attach()
    exam.start()
    terminal.press("1", "3", "copy", "enter")
    recorder.detach()
    terminal.press("v", "enter")
    exam.pause()
    terminal.press("z", "copy", "enter")
    exam.resume()
    terminal.press("8", "1", "paste", "enter")
    assert (terminal.screen, recorder.text(), exam.answers, exam.marks(), terminal.clipboard) == (
        ['Exam of Ben', '1. 6 + 7?', 'copy is not allowed', '13', '2. Red and blue?', 'v',
        '3. Square of 9?', 'Pause', 'z', '3. Square of 9?', 'paste is not allowed', '81', '4 of 5'],
        '13[enter]', ['13', 'v', '81'], 4, 'z',
    )


def test_resumed_again_and_again():
    terminal = Terminal("t")
    hall = Hall()
    hall.add(Exam("Cyd", terminal, QUESTIONS, minutes=30))
    hall.start()
    counts = []
    for _ in range(3):
        counts.append(hall.alarm())
        hall.pass_time(20)
        hall.all_clear()
        hall.all_clear()
    terminal.press("switch")
    hall.pass_time(40)
    terminal.press("b", "copy", "paste", "enter")
    assert (counts, hall.results(), terminal.screen[-3:]) == (
        [1, 1, 1], {'Cyd': ('finished', 0, 1)}, ['Time is up', '0 of 5', 'bb'],
    )


def test_three_hooks_removed_from_the_middle():
    terminal = Terminal("t")
    seen = []

    def noted(name):
        def function(key, pass_on):
            seen.append(name + key)
            pass_on(key)

        return Hook(terminal, function)

    hooks = [noted(name) for name in "abc"]
    for hook in hooks:
        hook.install()
    for hook in (None, hooks[1], hooks[1], hooks[2], hooks[0]):
        if hook:
            hook.remove()
        terminal.press("x")
    hooks[1].install()
    terminal.press("y")
    assert (seen, terminal.line, [hook.is_installed for hook in hooks]) == (
        ['cx', 'bx', 'ax', 'cx', 'ax', 'cx', 'ax', 'ax', 'by'], 'xxxxxy', [False, True, False],
    )


def test_two_exams_at_one_terminal():
    terminal = Terminal("t")
    first, second = Exam("Dan", terminal, QUESTIONS[:1]), Exam("Eve", terminal, QUESTIONS[:2])
    first.start()
    second.start()
    terminal.press("1", "3", "enter")
    terminal.press("v", "i", "o", "l", "e", "t", "enter", "q", "copy", "paste", "enter")
    assert (first.answers, second.answers, terminal.screen, second.marks()) == (
        ['13'], ['13', 'violet'],
        ['Exam of Dan', '1. 6 + 7?', 'Exam of Eve', '1. 6 + 7?', '13', '1 of 1', '2. Red and blue?',
        'violet', '2 of 2', 'qq'],
        2,
    )
